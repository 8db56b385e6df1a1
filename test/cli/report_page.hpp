// The page of a run in a browser: making it, clicking in it, reading it.
#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "test/cli/browser.hpp"
#include "test/cli/program.hpp"

namespace slideway::test {

using Json = nlohmann::json;

// Makes a page of a run; its address.
inline std::string page_of(const Workplace& place, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "run");
  for (const char* word : {"--report", "page.html", "--quiet"}) arguments.emplace_back(word);
  const Finished finished = place.slideway(arguments);
  REQUIRE_MESSAGE(finished.status == 0, finished.err);
  return "file://" + (place.path() / "page.html").string();
}

inline bool skipped() {
  if (Browser::works()) return false;
  // Continuous integration has one, and must not skip what it is there for.
  CHECK_MESSAGE(std::getenv("SLIDEWAY_NEEDS_BROWSER") == nullptr, "there is no Chromium that starts");
  MESSAGE("skipped: there is no Chromium that starts to look at the page with");
  return true;
}

// Where an element is on the screen.
struct Box {
  double left, top, width, height;
};
inline Box box_of(Browser& browser, const std::string& selector) {
  const Json box = browser.ask("(() => { const e = document.querySelector(" + Json(selector).dump() +
                               "); e.scrollIntoView({block: 'center'}); const b = e.getBoundingClientRect();"
                               " return [b.left, b.top, b.width, b.height]; })()");
  REQUIRE_MESSAGE(box.is_array(), selector);
  return {box[0], box[1], box[2], box[3]};
}
inline void click_on(Browser& browser, const std::string& selector) {
  const Box box = box_of(browser, selector);
  browser.click(box.left + box.width / 2, box.top + box.height / 2);
}
inline std::string text_of(Browser& browser, const std::string& selector) {
  return browser.ask("document.querySelector(" + Json(selector).dump() + ").innerText");
}

inline void check_quiet(const Browser& browser) {
  for (const std::string& complaint : browser.complaints) CHECK_MESSAGE(false, complaint);
}

}  // namespace slideway::test
