// The common part of the handles of the C interface: a message, lists of names and numbers, documents. And the one place in which
// exceptions become codes.
//
// It must not know what the handles are of.
#pragma once

#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "slideway.h"
#include "slideway/core/types.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/event_log.hpp"
#include "slideway/simulate/sensitivity.hpp"

namespace slideway::door {

// A refusal with a code of its own.
class Refused : public std::runtime_error {
 public:
  Refused(int code, const std::string& message) : std::runtime_error(message), code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

// Handle is the first and only base of every handle, so that a pointer to one is a pointer to the other.
class Handle {
 public:
  Handle() = default;
  virtual ~Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  // Nothing where there is no such list.
  virtual std::optional<std::vector<std::string>> names(std::string_view list) const = 0;
  virtual std::optional<Vector> values(std::string_view list) const = 0;
  // Throws std::invalid_argument for an unknown format.
  virtual std::string document(std::string_view format) = 0;
  // Throws Refused for a handle that has none.
  virtual const EventLog& events() const { throw Refused(SW_MISUSE, "a handle of this kind has no events"); }
  // Null where there is none.
  // event_derivative() gives what is known of the derivatives at event `index`, or at the start of the run for SW_START.
  virtual const EventSensitivity* event_derivative(std::int64_t) const { return nullptr; }
  // Ends what other threads do with it.
  virtual void stop() {}

  // The lists and documents may be others from now on.
  void changed() const { kept_of_.clear(); }
  // kept_names() keeps the last list, so that a caller can go through it.
  const std::vector<std::string>* kept_names(std::string_view list) const;
  // The text, kept until the next one.
  const char* keep(std::string text) const {
    text_ = std::move(text);
    return text_.c_str();
  }
  const std::string& kept_text() const { return text_; }

  const char* message() const { return message_.c_str(); }
  void tell(std::string_view message) const noexcept;

 private:
  mutable std::string message_;
  mutable std::string text_;
  mutable std::string kept_of_;  // the name of the list that is kept; "" for none
  mutable std::vector<std::string> kept_;
};

// Runs `work`, which returns a code; its exceptions become codes and the message of the handle.
template <class Work>
int answer(const Handle* handle, Work&& work) noexcept {
  if (handle == nullptr) return SW_MISUSE;
  try {
    handle->tell("");
    return work();
  } catch (const Refused& refused) {
    handle->tell(refused.what());
    return refused.code();
  } catch (const std::bad_alloc&) {
    handle->tell("memory is out");
    return SW_MEMORY;
  } catch (const ModelFileError& error) {
    handle->tell(error.what());
    return SW_MODEL;
  } catch (const std::invalid_argument& error) {
    handle->tell(error.what());
    return SW_MISUSE;
  } catch (const std::exception& error) {
    handle->tell(error.what());
    return SW_FAILED;
  } catch (...) {
    handle->tell("a callback threw something that is not a std::exception");
    return SW_FAILED;
  }
}

// Makes a handle, also where `work` on it fails.
template <class Made, class Work>
int make(Made** made, Work&& work) noexcept {
  if (made == nullptr) return SW_MISUSE;
  *made = new (std::nothrow) Made();
  if (*made == nullptr) return SW_MEMORY;
  return answer(*made, [&] { return work(**made); });
}

// A pointer that a caller must give.
template <class Pointer>
Pointer given(Pointer pointer, const char* name) {
  if (pointer == nullptr) throw std::invalid_argument(std::string(name) + ": expected a pointer, got NULL");
  return pointer;
}

// A number that must be in [0, count), as an index.
std::size_t index_in(std::int64_t index, std::size_t count, const char* what);

// Copies the numbers to the caller's buffer, or tells that it is too small.
int hand_out(const double* numbers, Index size, double* buffer, std::int64_t capacity);

}  // namespace slideway::door
