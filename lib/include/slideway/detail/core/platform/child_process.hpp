// ChildProcess runs a function in a copy of this process, so that what crashes or hangs there does no harm here, and exchanges bytes with it.
//
// It must not know what the bytes mean.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace slideway::platform {

// The end of the connection that the child has.
class ParentLink {
 public:
  explicit ParentLink(int descriptor) : descriptor_(descriptor) {}
  // Both return false where the parent is gone.
  bool receive(void* bytes, std::size_t count) const;
  bool send(const void* bytes, std::size_t count) const;

 private:
  int descriptor_;
};

class ChildProcess {
 public:
  // In the child `serve` is called, and the process ends with it: no destructor of an object of the parent runs there, and files of the
  // parent are closed. Throws std::system_error where the system makes no process.
  explicit ChildProcess(const std::function<void(const ParentLink&)>& serve);
  // Ends the child.
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  enum class Arrival { whole, ended, late };
  // send() returns false where the child has ended.
  bool send(const void* bytes, std::size_t count);
  // receive() waits for so many bytes, and no longer than these seconds.
  Arrival receive(void* bytes, std::size_t count, double seconds);
  // end() ends a child that is alive, and tells how it ended: "signal 11 (Segmentation fault)", or "exit status 3".
  std::string end();

 private:
  int descriptor_ = -1;
  int process_ = -1;
  std::string how_it_ended_ = {};
};

}  // namespace slideway::platform
