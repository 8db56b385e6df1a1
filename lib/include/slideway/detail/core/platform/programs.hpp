// These functions find the program that runs, replace it by another program, call other programs, and catch Ctrl-C and SIGTERM.
//
// It must not know what they are for.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>

namespace slideway::platform {

// own_program() returns the file of the program that runs, or an empty path where the system does not tell.
std::filesystem::path own_program();
// object_with() returns the shared object or program that holds this address, or an empty path where the system does not tell.
std::filesystem::path object_with(const void* address);

// become_program() replaces this process by the program of this file, or of this name in the PATH, with the arguments `argv`. It returns only
// where there is no such program.
void become_program(const std::string& file, char* const* argv);

struct ProgramResult {
  bool was_there = false;  // `reason` says why not
  std::string reason = {};
  int status = -1;  // its exit status; −1 where it was ended from outside
  std::string output = {};
  std::string complaints = {};  // its standard error
};
// run_program() runs the program of this name in the PATH with one argument and this standard input, without a shell. `directory` is where it
// runs; "" is the current one. Throws std::system_error where input or output cannot be kept.
ProgramResult run_program(const std::string& name, const std::string& argument, const std::string& input,
                          const std::string& directory);

enum class Request { interrupt, terminate };

// While a RequestHandler lives, the first of these requests calls the handler, which may do no more than set a flag. The second one ends the
// program at once.
class RequestHandler {
 public:
  RequestHandler(std::initializer_list<Request> requests, void (*handler)(int));
  ~RequestHandler();
  RequestHandler(const RequestHandler&) = delete;
  RequestHandler& operator=(const RequestHandler&) = delete;

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace slideway::platform
