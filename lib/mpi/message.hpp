// The messages between the processes of a sweep, as bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace slideway {

enum class MessageKind : std::uint8_t {
  // From a helper to the writer.
  hello,    // which sweep it has
  away,     // why it takes no part
  report,   // results, and how many tasks it can take
  bye,      // the last one of a sweep
  closing,  // the last one of all
  // From the writer to a helper.
  tasks,
  give_back,  // tasks that were not begun
  stop,       // the sweep is over
  end         // all is over
};

struct NumberedTask {
  std::uint64_t number = 0;
  std::string task = {};
};

// The members that a kind does not need are empty.
struct Message {
  MessageKind kind = MessageKind::report;
  std::string text = {};
  std::vector<NumberedTask> tasks = {};        // to be made
  std::vector<std::uint64_t> made = {};        // the tasks that are done
  std::vector<std::uint64_t> given_back = {};  // the tasks that were not begun
  std::vector<std::string> results = {};
  std::uint64_t wanted = 0;  // so many tasks more
  std::uint64_t idle = 0;    // threads without a task
  double at_work = 0;        // seconds
  double there = 0;
};

namespace mpi_bytes {

class Packer {
 public:
  template <class Plain>
  void add(Plain value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void add(const std::string& text) {
    add(static_cast<std::uint64_t>(text.size()));
    bytes += text;
  }
  std::string bytes = {};
};

class Unpacker {
 public:
  explicit Unpacker(const std::string& bytes) : bytes_(bytes) {}

  template <class Plain>
  Plain plain() {
    Plain value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text() {
    const auto size = static_cast<std::size_t>(plain<std::uint64_t>());
    return {take(size), size};
  }

 private:
  const char* take(std::size_t count) {
    if (count > bytes_.size() - at_) throw std::runtime_error("a message of MPI is too short");
    const char* begin = bytes_.data() + at_;
    at_ += count;
    return begin;
  }

  const std::string& bytes_;
  std::size_t at_ = 0;
};

}  // namespace mpi_bytes

inline std::string packed(const Message& message) {
  mpi_bytes::Packer packer;
  packer.add(message.kind);
  packer.add(message.text);
  packer.add(static_cast<std::uint64_t>(message.tasks.size()));
  for (const NumberedTask& task : message.tasks) {
    packer.add(task.number);
    packer.add(task.task);
  }
  for (const auto* numbers : {&message.made, &message.given_back}) {
    packer.add(static_cast<std::uint64_t>(numbers->size()));
    for (const std::uint64_t number : *numbers) packer.add(number);
  }
  packer.add(static_cast<std::uint64_t>(message.results.size()));
  for (const std::string& result : message.results) packer.add(result);
  packer.add(message.wanted);
  packer.add(message.idle);
  packer.add(message.at_work);
  packer.add(message.there);
  return packer.bytes;
}

inline Message unpacked(const std::string& bytes) {
  mpi_bytes::Unpacker unpacker(bytes);
  Message message;
  message.kind = unpacker.plain<MessageKind>();
  message.text = unpacker.text();
  for (auto left = unpacker.plain<std::uint64_t>(); left > 0; --left) {
    const auto number = unpacker.plain<std::uint64_t>();
    message.tasks.push_back({number, unpacker.text()});
  }
  for (auto* numbers : {&message.made, &message.given_back})
    for (auto left = unpacker.plain<std::uint64_t>(); left > 0; --left)
      numbers->push_back(unpacker.plain<std::uint64_t>());
  for (auto left = unpacker.plain<std::uint64_t>(); left > 0; --left)
    message.results.push_back(unpacker.text());
  message.wanted = unpacker.plain<std::uint64_t>();
  message.idle = unpacker.plain<std::uint64_t>();
  message.at_work = unpacker.plain<double>();
  message.there = unpacker.plain<double>();
  return message;
}

}  // namespace slideway
