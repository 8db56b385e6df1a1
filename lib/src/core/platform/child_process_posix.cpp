#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "slideway/detail/core/platform/child_process.hpp"

namespace slideway::platform {
namespace {

bool send_all(int descriptor, const void* bytes, std::size_t count) {
  const char* at = static_cast<const char*>(bytes);
  while (count > 0) {
    const ssize_t sent = ::send(descriptor, at, count, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    at += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

// Files of the parent stay with the parent: a pipe that somebody waits at must end with it.
void close_all_but(int kept) {
  rlimit limit = {};
  constexpr int most = 65536;
  const int last = getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < most
                       ? static_cast<int>(limit.rlim_cur)
                       : most;
  for (int k = STDERR_FILENO + 1; k < last; ++k)
    if (k != kept) ::close(k);
}

[[noreturn]] void be_child(int descriptor, const std::function<void(const ParentLink&)>& serve) {
  close_all_but(descriptor);
  // The parent hears of an interruption, and ends the child. A crash leaves no file.
  ::signal(SIGINT, SIG_IGN);
  for (const int number : {SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::signal(number, SIG_DFL);
  const rlimit none = {0, 0};
  ::setrlimit(RLIMIT_CORE, &none);
  // An exception would let the child go on as the parent does, with a copy of all that is the parent's.
  try {
    serve(ParentLink(descriptor));
  } catch (...) {
    std::abort();
  }
  ::_exit(0);
}

}  // namespace

bool ParentLink::receive(void* bytes, std::size_t count) const {
  char* at = static_cast<char*>(bytes);
  while (count > 0) {
    const ssize_t had = ::recv(descriptor_, at, count, 0);
    if (had < 0 && errno == EINTR) continue;
    if (had <= 0) return false;
    at += had;
    count -= static_cast<std::size_t>(had);
  }
  return true;
}

bool ParentLink::send(const void* bytes, std::size_t count) const {
  return send_all(descriptor_, bytes, count);
}

ChildProcess::ChildProcess(const std::function<void(const ParentLink&)>& serve) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw std::system_error(errno, std::generic_category(), "a connection to another process");
  // Text that waits to be written would be written by both.
  std::fflush(nullptr);
  process_ = ::fork();
  if (process_ == 0) be_child(ends[1], serve);
  const int error = errno;
  ::close(ends[1]);
  descriptor_ = ends[0];
  if (process_ >= 0) return;
  ::close(descriptor_);
  throw std::system_error(error, std::generic_category(), "another process");
}

ChildProcess::~ChildProcess() {
  end();
  ::close(descriptor_);
}

bool ChildProcess::send(const void* bytes, std::size_t count) { return send_all(descriptor_, bytes, count); }

ChildProcess::Arrival ChildProcess::receive(void* bytes, std::size_t count, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto latest = Clock::now() + std::chrono::duration<double>(seconds);
  char* at = static_cast<char*>(bytes);
  while (count > 0) {
    const double left = std::chrono::duration<double>(latest - Clock::now()).count();
    pollfd waiting = {descriptor_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(std::ceil(std::fmax(0, left) * 1000)));
    if (ready < 0 && errno == EINTR) continue;
    if (ready == 0) return Arrival::late;
    const ssize_t had = ::recv(descriptor_, at, count, 0);
    if (had < 0 && errno == EINTR) continue;
    if (had <= 0) return Arrival::ended;
    at += had;
    count -= static_cast<std::size_t>(had);
  }
  return Arrival::whole;
}

std::string ChildProcess::end() {
  if (process_ < 0) return how_it_ended_;
  // A child that has ended by itself keeps its own status.
  int status = 0;
  pid_t had = 0;
  pollfd gone = {descriptor_, POLLIN, 0};
  constexpr int moment = 100;
  char byte = 0;
  const bool is_ending = ::poll(&gone, 1, 0) > 0 && ::recv(descriptor_, &byte, 1, MSG_PEEK) <= 0;
  for (int k = 0; is_ending && k < moment && had == 0; ++k) {
    had = ::waitpid(process_, &status, WNOHANG);
    if (had == 0) ::usleep(1000);
  }
  if (had == 0) {
    ::kill(process_, SIGKILL);
    while ((had = ::waitpid(process_, &status, 0)) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
  if (had > 0 && WIFSIGNALED(status))
    how_it_ended_ = "signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
  else
    how_it_ended_ = "exit status " + std::to_string(had > 0 ? WEXITSTATUS(status) : -1);
  return how_it_ended_;
}

}  // namespace slideway::platform
