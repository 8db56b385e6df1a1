#include <dlfcn.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <system_error>
#include <utility>
#include <vector>

#include "slideway/detail/core/platform/programs.hpp"

extern char** environ;

namespace slideway::platform {

namespace {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, FileCloser>;

// Removed by the system when closed. Files rather than pipes: no reader and writer to keep from waiting for each
// other, and no SIGPIPE when the program gives up early.
File nameless_file() {
  File file(std::tmpfile());
  if (!file) throw std::system_error(errno, std::generic_category(), "no temporary file");
  return file;
}

std::string contents(std::FILE* file) {
  std::string text;
  std::rewind(file);
  char block[65536];
  for (std::size_t size = 0; (size = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, size);
  return text;
}

class SpawnActions {
 public:
  SpawnActions() { posix_spawn_file_actions_init(&actions_); }
  ~SpawnActions() { posix_spawn_file_actions_destroy(&actions_); }
  SpawnActions(const SpawnActions&) = delete;
  SpawnActions& operator=(const SpawnActions&) = delete;

  void connect(std::FILE* file, int descriptor) {
    posix_spawn_file_actions_adddup2(&actions_, fileno(file), descriptor);
  }
  void work_in(const std::string& directory) {
    posix_spawn_file_actions_addchdir_np(&actions_, directory.c_str());
  }
  const posix_spawn_file_actions_t* get() const { return &actions_; }

 private:
  posix_spawn_file_actions_t actions_;
};

int number_of(Request request) { return request == Request::interrupt ? SIGINT : SIGTERM; }

}  // namespace

std::filesystem::path own_program() {
  std::error_code failed;
  return std::filesystem::read_symlink("/proc/self/exe", failed);
}

std::filesystem::path object_with(const void* address) {
  Dl_info information{};
  std::error_code failed;
  if (dladdr(address, &information) != 0 && information.dli_fname != nullptr) {
    const std::filesystem::path file(information.dli_fname);
    // A program is told by the name that it was called by, which may be that of no file.
    if (file.extension() == ".so") return std::filesystem::canonical(file, failed);
  }
  return own_program();
}

void become_program(const std::string& file, char* const* argv) { execvp(file.c_str(), argv); }

ProgramResult run_program(const std::string& name, const std::string& argument, const std::string& input,
                          const std::string& directory) {
  const File in = nameless_file();
  const File out = nameless_file();
  const File complaints = nameless_file();
  if (std::fwrite(input.data(), 1, input.size(), in.get()) != input.size() || std::fflush(in.get()) != 0)
    throw std::system_error(errno, std::generic_category(), "the input cannot be stored");
  std::rewind(in.get());

  SpawnActions actions;
  if (!directory.empty()) actions.work_in(directory);
  actions.connect(in.get(), STDIN_FILENO);
  actions.connect(out.get(), STDOUT_FILENO);
  actions.connect(complaints.get(), STDERR_FILENO);

  std::string words[] = {name, argument};
  char* arguments[] = {words[0].data(), words[1].data(), nullptr};
  ProgramResult result;
  pid_t process = 0;
  const int error = posix_spawnp(&process, name.c_str(), actions.get(), nullptr, arguments, environ);
  if (error != 0) {
    result.reason = std::strerror(error);
    return result;
  }
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  // Some systems report success without a program to execute, and let the child end with 127.
  constexpr int not_found = 127;
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  result.was_there = result.status != not_found;
  result.output = contents(out.get());
  result.complaints = contents(complaints.get());
  return result;
}

struct RequestHandler::Before {
  std::vector<std::pair<int, struct sigaction>> actions = {};
};

RequestHandler::RequestHandler(std::initializer_list<Request> requests, void (*handler)(int))
    : before_(std::make_unique<Before>()) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigemptyset(&action.sa_mask);
  for (const Request request : requests) {
    struct sigaction old {};
    sigaction(number_of(request), &action, &old);
    before_->actions.emplace_back(number_of(request), old);
  }
}

RequestHandler::~RequestHandler() {
  for (const auto& [signal, action] : before_->actions) sigaction(signal, &action, nullptr);
}

}  // namespace slideway::platform
