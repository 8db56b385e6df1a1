#include <filesystem>

#include <doctest/doctest.h>

#include "test/cli/report_page.hpp"

using namespace slideway::test;

TEST_CASE("a report is one page that needs nothing else") {
  const Workplace place;
  page_of(place, {"evaporator", "--set", "R_b=1.1"});
  const std::string page = place.read("page.html");
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.ends_with("</html>\n"));
  for (const char* outside : {"src=", "href=", "@import", "fetch(", "XMLHttpRequest"}) {
    CAPTURE(outside);
    CHECK_FALSE(contains(page, outside));
  }
  CHECK(contains(page, "(R_pipe/I)*p + step(overflow)*L"));
  CHECK(contains(page, "resistance of the drain (default 1)"));
  CHECK(contains(page, "both fields push onto the surface"));
  CHECK(place.files() == std::vector<std::string>{"page.html"});
}

TEST_CASE("nothing a model says can leave its place in the page") {
  const Workplace place;
  place.write(
      "evil.toml",
      "name = \"</script><script>document.title='caught'</script>\"\nsummary = \"<b onclick=x>&\"\n"
      "[states]\nx = 1.0\n[time]\nend = 2\n[surfaces]\nwall = \"x\"\n[derivatives]\nx = \"-sgn(wall)\"\n");
  page_of(place, {"evil.toml"});
  const std::string page = place.read("page.html");
  CHECK_FALSE(contains(page, "<script>document.title"));
  CHECK_FALSE(contains(page, "<b onclick"));
  CHECK(contains(page, "&lt;b onclick=x&gt;&amp;"));
}

TEST_CASE("a report tells the work of friction when it is asked for") {
  const Workplace place;
  page_of(place, {"friction-belt"});
  CHECK_FALSE(contains(place.read("page.html"), "stored at the start"));
  page_of(place, {"friction-belt", "--passivity"});
  CHECK(contains(place.read("page.html"), "stored at the start"));
  CHECK(contains(place.read("page.html"), "<td>passive</td>"));
}

TEST_CASE("a report is written whole or not at all") {
  const Workplace place;
  const Finished finished = place.slideway({"run", "evaporator", "--report", "no/where.html"});
  CHECK(finished.status != 0);
  CHECK(contains(finished.err, "no/where.html"));
  CHECK(place.files().empty());
  const Finished tree =
      place.slideway({"run", "evaporator", "--on-ambiguity", "branches", "--report", "a.html"});
  CHECK(tree.status == 2);
  CHECK(contains(tree.err, "one trajectory"));
  CHECK(place.files().empty());
  const Finished piped = place.slideway({"run", "evaporator", "--report", "-"});
  CHECK(piped.status == 0);
  CHECK(piped.out.starts_with("<!DOCTYPE html>"));
  CHECK(piped.out.ends_with("</html>\n"));
}

TEST_CASE("the page of a big run stays small") {
  const Workplace place;
  page_of(place, {"friction-chain", "--set", "N=2000", "--t-end", "1", "--method", "dopri5"});
  CHECK(std::filesystem::file_size(place.path() / "page.html") < 12'000'000);
  page_of(place, {"dry-friction", "--t-end", "60000", "--method", "dopri5"});
  const std::string page = place.read("page.html");
  CHECK(contains(page, "\"gap\":{\"after\":9000,"));
  CHECK(page.size() < 12'000'000);
}

TEST_CASE("the picture answers the pointer") {
  if (skipped()) return;
  const Workplace place;
  Browser browser(place.path());
  browser.open_page(page_of(place, {"evaporator"}));
  CHECK(browser.ask("document.body.classList.contains('ready')") == true);
  CHECK(browser.ask("performance.getEntriesByType('resource').length") == 0);
  CHECK(browser.ask("document.querySelectorAll('#time-picture path.curve').length") == 2);
  CHECK(browser.ask("document.querySelectorAll('#portrait path.curve').length") == 1);
  CHECK(browser.ask("document.querySelectorAll('#time-picture path.slide').length") == 2);

  // Hover: time, mode and states, at the right of the sliding entry.
  CHECK(browser.ask("getComputedStyle(document.getElementById('hover')).display") == "none");
  const Box picture = box_of(browser, "#time-picture svg");
  browser.move_to(picture.left + 0.6 * picture.width, picture.top + 0.3 * picture.height);
  CHECK(browser.ask("getComputedStyle(document.getElementById('hover')).display") == "block");
  const std::string told = text_of(browser, "#hover");
  CHECK(contains(told, "t = 3"));
  CHECK(contains(told, "mode 0 sliding"));
  CHECK(contains(told, "p = 0.0866"));
  CHECK(contains(told, "L = 0.1"));
  browser.move_to(picture.left + 0.13 * picture.width, picture.top + 0.3 * picture.height);
  CHECK(contains(text_of(browser, "#hover"), "mode −"));
  browser.move_to(5, 5);
  CHECK(browser.ask("getComputedStyle(document.getElementById('hover')).display") == "none");

  // Click an event: its classification.
  CHECK(browser.ask("document.getElementById('detail').hidden") == true);
  click_on(browser, "#time-picture path[data-event='1']");
  CHECK(browser.ask("document.getElementById('detail').hidden") == false);
  const std::string detail = text_of(browser, "#detail");
  CHECK(contains(detail, "sliding entry · overflow · t = 10.98"));
  CHECK(contains(detail, "both fields push onto the surface"));
  CHECK(contains(detail, "+ → 0"));
  CHECK(contains(detail, "−0.0031"));
  CHECK(browser.ask("document.querySelector('#events tr.chosen').dataset.row") == "1");
  click_on(browser, "#events tr[data-row='0']");
  CHECK(contains(text_of(browser, "#detail"), "crossing · overflow · t = 7.66"));

  // Zoom by dragging and by buttons, and back.
  const std::string whole = text_of(browser, "#range");
  CHECK(whole == "t = 0 … 60");
  const Box before = box_of(browser, "#time-picture svg");
  browser.drag(before.left + 0.2 * before.width, before.left + 0.4 * before.width,
               before.top + 0.3 * before.height);
  const std::string zoomed = text_of(browser, "#range");
  CHECK(zoomed != whole);
  click_on(browser, "#in");
  CHECK(text_of(browser, "#range") != zoomed);
  click_on(browser, "#all");
  CHECK(text_of(browser, "#range") == whole);

  CHECK(browser.screenshot().size() > 20000);
  CHECK(browser.print().size() > 5000);
  check_quiet(browser);
}

TEST_CASE("a page with thousands of events is turned over, and knows jumps, locations and contacts") {
  if (skipped()) return;
  const Workplace place;
  Browser browser(place.path());
  browser.open_page(page_of(place, {"dry-friction", "--t-end", "20000", "--method", "dopri5"}));
  CHECK(browser.ask("document.querySelectorAll('#events tbody tr').length") == 100);
  // No more marks than a screen has room for.
  CHECK(browser.ask("document.querySelectorAll('#time-picture path.event').length").get<int>() < 800);
  CHECK(
      browser.ask("document.querySelector('#time-picture path.curve').getAttribute('d').length").get<int>() <
      200000);
  click_on(browser, "#page-next");
  CHECK(contains(text_of(browser, "#page-text"), "events 101 to 200"));
  click_on(browser, "#events tr[data-row='150']");
  CHECK(browser.ask("document.querySelector('#events tr.chosen').dataset.row") == "150");
  for (const std::string model :
       {"bouncing-ball", "thermostat", "cam-follower", "three-surfaces", "billiard"}) {
    CAPTURE(model);
    browser.open_page(page_of(place, {model}));
    CHECK(browser.ask("document.body.classList.contains('ready')") == true);
    CHECK(browser.ask("document.querySelectorAll('#time-picture path.curve').length").get<int>() >= 1);
    click_on(browser, "#events tbody tr");
    CHECK(browser.ask("document.getElementById('detail').hidden") == false);
    CHECK_FALSE(contains(text_of(browser, "body"), "NaN"));
    CHECK_FALSE(contains(text_of(browser, "body"), "undefined"));
  }
  check_quiet(browser);
}

TEST_CASE("a run without events, or that stops where it begins, has a page too") {
  const Workplace place;
  place.write("plain.toml", "[states]\nx = 1.0\n[time]\nend = 2\n[derivatives]\nx = \"-x\"\n");
  page_of(place, {"plain.toml"});
  place.write("stuck.toml", "[states]\nx = 0.0\n[time]\nend = 1\n[derivatives]\nx = \"sgn(x)\"\n");
  const Finished stuck = place.slideway({"run", "stuck.toml", "--report", "stuck.html", "--quiet"});
  CHECK(stuck.status == 3);
  CHECK(contains(place.read("stuck.html"), "ambiguous"));
  CHECK_FALSE(contains(place.read("stuck.html"), "nan"));
  if (skipped()) return;
  Browser browser(place.path());
  for (const char* name : {"page.html", "stuck.html"}) {
    CAPTURE(name);
    browser.open_page("file://" + (place.path() / name).string());
    CHECK(browser.ask("document.body.classList.contains('ready')") == true);
  }
  check_quiet(browser);
}

TEST_CASE("the page says when it leaves out marks of events") {
  if (skipped()) return;
  const Workplace place;
  place.write("fast.toml",
              "[states]\nx = 1.0\nv = 0.0\n[time]\nend = 900.0\n[derivatives]\nx = \"v\"\nv = \"-x - "
              "1e-6*sgn(v)\"\n");
  Browser browser(place.path());
  browser.open_page(page_of(place, {"fast.toml"}));
  CHECK(contains(text_of(browser, "#range"), " events drawn"));
  check_quiet(browser);
}
