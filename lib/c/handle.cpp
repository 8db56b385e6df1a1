#include "lib/c/handle.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "slideway/core/version.hpp"

namespace slideway::door {

const std::vector<std::string>* Handle::kept_names(std::string_view list) const {
  if (list.empty()) return nullptr;
  if (kept_of_ == list) return &kept_;
  std::optional<std::vector<std::string>> found = names(list);
  if (!found) return nullptr;
  kept_ = std::move(*found);
  kept_of_ = list;
  return &kept_;
}

void Handle::tell(std::string_view message) const noexcept {
  try {
    message_ = message;
  } catch (...) {
    message_.clear();
  }
}

std::size_t index_in(std::int64_t index, std::size_t count, const char* what) {
  if (index < 0 || static_cast<std::uint64_t>(index) >= count) {
    throw Refused(SW_ABSENT, count == 0
                                 ? fmt::format("there is no {}, so none has the number {}", what, index)
                                 : fmt::format("there is no {} {} (expected a number from 0 to {})", what,
                                               index, count - 1));
  }
  return static_cast<std::size_t>(index);
}

int hand_out(const double* numbers, Index size, double* buffer, std::int64_t capacity) {
  given(buffer, "the buffer");
  if (capacity < size) {
    throw Refused(SW_SPACE, fmt::format("the buffer is too small (expected room for {} numbers, got {})",
                                        size, capacity));
  }
  std::copy(numbers, numbers + size, buffer);
  return SW_OK;
}

namespace {

// Every handle is a Handle at the same address.
const Handle* handle_of(const void* handle) { return static_cast<const Handle*>(handle); }

}  // namespace
}  // namespace slideway::door

using namespace slideway::door;

int sw_abi(void) { return SW_ABI; }

const char* sw_version(void) { return slideway::version(); }

const char* sw_message(const void* handle) {
  return handle == nullptr ? "there is no handle: memory is out, or an argument is NULL"
                           : handle_of(handle)->message();
}

void sw_free(void* handle) { delete static_cast<Handle*>(handle); }

int64_t sw_count(const void* handle, const char* list) {
  int64_t count = -1;
  answer(handle_of(handle), [&] {
    const std::string_view name = given(list, "list");
    if (const auto* names = handle_of(handle)->kept_names(name)) {
      count = static_cast<int64_t>(names->size());
    } else if (const auto values = handle_of(handle)->values(name)) {
      count = static_cast<int64_t>(values->size());
    } else {
      throw std::invalid_argument(fmt::format("there is no list '{}' here", name));
    }
    return SW_OK;
  });
  return count;
}

const char* sw_name(const void* handle, const char* list, int64_t index) {
  const char* name = nullptr;
  answer(handle_of(handle), [&] {
    const auto* const names = handle_of(handle)->kept_names(given(list, "list"));
    if (names == nullptr)
      throw std::invalid_argument(fmt::format("there is no list of names '{}' here", list));
    name = (*names)[index_in(index, names->size(), "entry")].c_str();
    return SW_OK;
  });
  return name;
}

int64_t sw_index(const void* handle, const char* list, const char* name) {
  int64_t index = -1;
  answer(handle_of(handle), [&] {
    const auto* const names = handle_of(handle)->kept_names(given(list, "list"));
    if (names == nullptr)
      throw std::invalid_argument(fmt::format("there is no list of names '{}' here", list));
    const auto place = std::find(names->begin(), names->end(), given(name, "name"));
    if (place == names->end()) {
      const std::string near = slideway::nearest_name(name, *names);
      throw Refused(SW_ABSENT, fmt::format("there is no '{}' among the {}{}", name, list,
                                           near.empty() ? "" : "; did you mean '" + near + "'?"));
    }
    index = place - names->begin();
    return SW_OK;
  });
  return index;
}

int sw_values(const void* handle, const char* list, double* values, int64_t capacity, int64_t* count) {
  return answer(handle_of(handle), [&]() -> int {
    const auto found = handle_of(handle)->values(given(list, "list"));
    if (!found) throw std::invalid_argument(fmt::format("there is no list of numbers '{}' here", list));
    if (count != nullptr) *count = found->size();
    if (values == nullptr && count != nullptr) return SW_OK;
    return hand_out(found->data(), found->size(), values, capacity);
  });
}

int sw_document(void* handle, const char* format, const char** text, int64_t* length) {
  auto* const of = static_cast<Handle*>(handle);
  return answer(of, [&] {
    given(text, "text");
    *text = of->keep(of->document(given(format, "format")));
    if (length != nullptr) *length = static_cast<int64_t>(of->kept_text().size());
    return SW_OK;
  });
}

int sw_stop(void* handle) {
  if (handle == nullptr) return SW_MISUSE;
  // The message belongs to the thread that uses the handle.
  static_cast<Handle*>(handle)->stop();
  return SW_OK;
}
