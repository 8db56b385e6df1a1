#include "slideway/core/short_list.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace slideway;

namespace {

using List = ShortList<std::string>;

bool is_within(const List& list, const std::string* value) {
  const auto* const begin = reinterpret_cast<const char*>(&list);
  const auto* const place = reinterpret_cast<const char*>(value);
  return place >= begin && place < begin + sizeof list;
}

}  // namespace

TEST_CASE("a short list holds what has been put into it, in order") {
  List list;
  CHECK(list.empty());
  CHECK(list.begin() == list.end());
  std::vector<std::string> expected;
  for (const char* value : {"a", "b", "c"}) {
    list.push_back(value);
    expected.emplace_back(value);
    CAPTURE(expected.size());
    CHECK(list.size() == expected.size());
    CHECK(list == expected);
    CHECK(list.front() == "a");
    CHECK(list.back() == value);
    CHECK(list[expected.size() - 1] == value);
    CHECK(std::vector<std::string>(list) == expected);
  }
  list.clear();
  CHECK(list.empty());
  CHECK(list == List());
  list.push_back("d");
  CHECK(list == List{"d"});
}

TEST_CASE("a short list of one value keeps it in itself") {
  List list{"only"};
  CHECK(is_within(list, list.data()));
  list.push_back("another");
  CHECK_FALSE(is_within(list, list.data()));
}

TEST_CASE("short lists are copied and moved like vectors") {
  for (const List& original : {List(), List{"one"}, List{"one", "two"}}) {
    CAPTURE(original.size());
    List copy = original;
    CHECK(copy == original);
    const List moved = std::move(copy);
    CHECK(moved == original);
    copy = moved;
    CHECK(copy == original);
    copy.push_back("more");
    CHECK(copy.size() == original.size() + 1);
    CHECK_FALSE(copy == original);
  }
}
