#include <atomic>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <system_error>
#include <vector>

#include "core/platform/system_error_windows.hpp"
#include "slideway/detail/core/platform/programs.hpp"

namespace slideway::platform {
namespace {

class OwnedHandle {
 public:
  explicit OwnedHandle(HANDLE handle) : handle_(handle) {}
  ~OwnedHandle() {
    if (handle_ != nullptr && handle_ != INVALID_HANDLE_VALUE) CloseHandle(handle_);
  }
  OwnedHandle(const OwnedHandle&) = delete;
  OwnedHandle& operator=(const OwnedHandle&) = delete;

  HANDLE get() const { return handle_; }

 private:
  HANDLE handle_;
};

std::filesystem::path file_of(HMODULE module) {
  std::wstring name(MAX_PATH, L'\0');
  constexpr std::size_t longest = 32768;
  while (name.size() <= longest) {
    const DWORD length = GetModuleFileNameW(module, name.data(), static_cast<DWORD>(name.size()));
    if (length == 0) return {};
    if (length < name.size()) return name.substr(0, length);
    name.resize(2 * name.size());
  }
  return {};
}

// One argument as programs of Windows read their command line: backslashes count double before a quotation mark alone.
std::wstring in_quotes(const std::wstring& argument) {
  std::wstring quoted = L"\"";
  std::size_t backslashes = 0;
  for (const wchar_t character : argument) {
    if (character == L'\\') {
      ++backslashes;
      continue;
    }
    quoted.append(character == L'"' ? 2 * backslashes + 1 : backslashes, L'\\');
    quoted += character;
    backslashes = 0;
  }
  quoted.append(2 * backslashes, L'\\');
  return quoted + L"\"";
}

// The program of this name in the PATH, or of this file. The current directory is not looked in, where anybody may have put a program.
std::optional<std::filesystem::path> find_program(const std::string& name) {
  std::filesystem::path file = to_path(name);
  if (file.extension() != L".exe") file += L".exe";
  std::error_code ignored;
  if (file.has_parent_path())
    return std::filesystem::is_regular_file(file, ignored) ? std::optional(file) : std::nullopt;
  const wchar_t* const variable = _wgetenv(L"PATH");
  const std::wstring folders = variable == nullptr ? L"" : variable;
  for (std::size_t begin = 0; begin <= folders.size();) {
    const std::size_t end = std::min(folders.find(L';', begin), folders.size());
    const std::filesystem::path folder = folders.substr(begin, end - begin);
    if (!folder.empty() && std::filesystem::is_regular_file(folder / file, ignored)) return folder / file;
    begin = end + 1;
  }
  return std::nullopt;
}

// The file has no other name than its handle, which the called program gets as well, and is removed by the system.
HANDLE temporary_file() {
  wchar_t folder[MAX_PATH + 1];
  wchar_t name[MAX_PATH + 1];
  if (GetTempPathW(MAX_PATH + 1, folder) == 0 || GetTempFileNameW(folder, L"sw", 0, name) == 0)
    fail("no temporary file");
  SECURITY_ATTRIBUTES inherited{sizeof inherited, nullptr, TRUE};
  const HANDLE file = CreateFileW(
      name, GENERIC_READ | GENERIC_WRITE | DELETE, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE,
      &inherited, CREATE_ALWAYS, FILE_ATTRIBUTE_TEMPORARY | FILE_FLAG_DELETE_ON_CLOSE, nullptr);
  if (file == INVALID_HANDLE_VALUE) fail("no temporary file");
  return file;
}

void rewind(HANDLE file) { SetFilePointer(file, 0, nullptr, FILE_BEGIN); }

void write(HANDLE file, const std::string& text) {
  for (std::size_t at = 0; at < text.size();) {
    DWORD written = 0;
    if (WriteFile(file, text.data() + at,
                  static_cast<DWORD>(std::min<std::size_t>(text.size() - at, 1U << 30)), &written,
                  nullptr) == 0)
      fail("the input cannot be stored");
    at += written;
  }
}

std::string contents(HANDLE file) {
  std::string text;
  rewind(file);
  char block[65536];
  for (DWORD size = 0; ReadFile(file, block, sizeof block, &size, nullptr) != 0 && size > 0;)
    text.append(block, size);
  return text;
}

struct StartedProgram {
  OwnedHandle process;
  OwnedHandle thread;
};

// Returns nothing, with GetLastError(), where the program cannot be started.
std::unique_ptr<StartedProgram> start(const std::filesystem::path& program, std::wstring command,
                                      STARTUPINFOW& how, bool inherits, const std::wstring& directory) {
  PROCESS_INFORMATION started{};
  if (CreateProcessW(program.c_str(), command.data(), nullptr, nullptr, inherits ? TRUE : FALSE, 0, nullptr,
                     directory.empty() ? nullptr : directory.c_str(), &how, &started) == 0)
    return nullptr;
  return std::unique_ptr<StartedProgram>(
      new StartedProgram{OwnedHandle(started.hProcess), OwnedHandle(started.hThread)});
}

DWORD exit_code(const StartedProgram& started) {
  WaitForSingleObject(started.process.get(), INFINITE);
  DWORD code = 0;
  GetExitCodeProcess(started.process.get(), &code);
  return code;
}

using Handler = void (*)(int);
std::atomic<Handler> on_interrupt = nullptr;
std::atomic<Handler> on_terminate = nullptr;

std::atomic<Handler>& handler_of(Request request) {
  return request == Request::interrupt ? on_interrupt : on_terminate;
}

// Windows calls this in a thread of its own. Where it returns FALSE the program ends.
BOOL WINAPI follow_request(DWORD event) {
  const Request request = event == CTRL_C_EVENT ? Request::interrupt : Request::terminate;
  const Handler handler = handler_of(request).exchange(nullptr);
  if (handler == nullptr) return FALSE;
  handler(request == Request::interrupt ? SIGINT : SIGTERM);
  // Windows ends the program as soon as this returns from one of the others, at the latest after some seconds.
  if (event != CTRL_C_EVENT && event != CTRL_BREAK_EVENT) Sleep(INFINITE);
  return TRUE;
}

}  // namespace

std::filesystem::path own_program() { return file_of(nullptr); }

std::filesystem::path object_with(const void* address) {
  HMODULE module = nullptr;
  constexpr DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  if (GetModuleHandleExW(flags, static_cast<LPCWSTR>(address), &module) == 0) return own_program();
  return file_of(module);
}

// A process cannot become another program on Windows. It waits for the other one, and ends as that does.
void become_program(const std::string& file, char* const* argv) {
  const std::optional<std::filesystem::path> program = find_program(file);
  if (!program) return;
  std::wstring command = in_quotes(program->wstring());
  for (int k = 1; argv[k] != nullptr; ++k) command += L" " + in_quotes(wide(argv[k]));
  STARTUPINFOW how{};
  how.cb = sizeof how;
  const std::unique_ptr<StartedProgram> started = start(*program, command, how, true, L"");
  if (started == nullptr) return;
  // Ctrl-C reaches both, and the other one decides.
  SetConsoleCtrlHandler(nullptr, TRUE);
  std::exit(static_cast<int>(exit_code(*started)));
}

ProgramResult run_program(const std::string& name, const std::string& argument, const std::string& input,
                          const std::string& directory) {
  ProgramResult result;
  const std::optional<std::filesystem::path> program = find_program(name);
  if (!program) {
    result.reason = std::make_error_code(std::errc::no_such_file_or_directory).message();
    return result;
  }
  const OwnedHandle in(temporary_file());
  const OwnedHandle out(temporary_file());
  const OwnedHandle complaints(temporary_file());
  write(in.get(), input);
  rewind(in.get());

  STARTUPINFOW how{};
  how.cb = sizeof how;
  how.dwFlags = STARTF_USESTDHANDLES;
  how.hStdInput = in.get();
  how.hStdOutput = out.get();
  how.hStdError = complaints.get();
  const std::unique_ptr<StartedProgram> started = start(
      *program, in_quotes(program->wstring()) + L" " + in_quotes(wide(argument)), how, true, wide(directory));
  if (started == nullptr) {
    result.reason = last_error().message();
    return result;
  }
  // A crash has a code from 0xC0000000 on.
  constexpr DWORD least_crash = 0xC0000000;
  const DWORD code = exit_code(*started);
  if (code < least_crash) result.status = static_cast<int>(code);
  result.was_there = true;
  result.output = contents(out.get());
  result.complaints = contents(complaints.get());
  return result;
}

struct RequestHandler::Before {
  std::vector<std::pair<Request, Handler>> handlers = {};
};

RequestHandler::RequestHandler(std::initializer_list<Request> requests, void (*handler)(int))
    : before_(std::make_unique<Before>()) {
  static const bool is_listening = SetConsoleCtrlHandler(follow_request, TRUE) != 0;
  static_cast<void>(is_listening);
  for (const Request request : requests)
    before_->handlers.emplace_back(request, handler_of(request).exchange(handler));
}

RequestHandler::~RequestHandler() {
  for (const auto& [request, handler] : before_->handlers) handler_of(request) = handler;
}

}  // namespace slideway::platform
