// The panels of a report's page, on a desktop and on a phone, by day and by night.

#include <algorithm>
#include <charconv>
#include <map>
#include <memory>
#include <sstream>

#include <doctest/doctest.h>

#include "models/registry.hpp"
#include "test/cli/report_page.hpp"

using namespace slideway::test;

namespace {

constexpr int desktop = 1280;
constexpr int phone = 390;

const std::string gallery_folder = std::string(SLIDEWAY_SOURCE_DIR) + "/models/gallery/";

// A rimless wheel on its cycle: a heel strikes at equal distances of time, 163 times. Half way up a lamp is passed.
const char* const walker =
    "name = \"wheel\"\n[states]\ntheta = -0.32\nw = 1.0724\n"
    "[parameters]\ng = 9.81\nl = 1.0\nalpha = 0.4\ngamma = 0.08\n[time]\nend = 193.6\n"
    "[derivatives]\ntheta = \"w\"\nw = \"g/l*sin(theta)\"\n"
    "[[resets]]\nname = \"heel strike\"\nwhen = \"theta - gamma - alpha\"\ndirection = \"rising\"\n"
    "set = { theta = \"gamma - alpha\", w = \"w*cos(2*alpha)\" }\n"
    "[[records]]\nname = \"lamp\"\nwhen = \"theta\"\ndirection = \"rising\"\n";

// The data of the page, as its program reads them.
Json data_of(Browser& browser) {
  return browser.ask("JSON.parse(document.getElementById('data').textContent)");
}

// The largest distance of neighbours, those of the window's ends among them.
double largest_gap(std::vector<double> times, double begin, double end) {
  times.push_back(begin);
  times.push_back(end);
  std::sort(times.begin(), times.end());
  double gap = 0;
  for (std::size_t k = 1; k < times.size(); ++k) gap = std::max(gap, times[k] - times[k - 1]);
  return gap;
}

// The times of the events of each kind, and of those drawn in the first panel over time.
struct Marks {
  std::map<std::string, std::vector<double>> all, drawn;
  double begin = 0, end = 0, panel_width = 0;
};
Marks marks_of(Browser& browser) {
  Marks marks;
  const Json data = data_of(browser);
  marks.begin = data.at("start");
  marks.end = data.at("end");
  for (const Json& event : data.at("events")) marks.all[event.at("kind")].push_back(event.at("t"));
  for (const Json& number : browser.ask("[...document.querySelectorAll('#time-picture figure:first-child "
                                        "path.event:not(.chosen)')].map(e => "
                                        "Number(e.dataset.event))")) {
    const Json& event = data.at("events").at(number.get<std::size_t>());
    marks.drawn[event.at("kind")].push_back(event.at("t"));
  }
  marks.panel_width =
      browser.ask("document.querySelector('#time-picture rect.axis').getBoundingClientRect().width");
  return marks;
}

// The mistakes in the ticks of the panels.
std::vector<std::string> wrong_ticks(Browser& browser) {
  return browser.ask(R"((() => {
    const wrong = [];
    for (const figure of document.querySelectorAll('figure')) for (const axis of ['x', 'y']) {
      const ticks = [...figure.querySelectorAll('text.tick.' + axis)];
      const texts = ticks.map((tick) => tick.textContent), told = axis + ': ' + texts.join(' | ');
      if (ticks.length < 3) wrong.push('fewer than three, ' + told);
      if (new Set(texts).size < texts.length) wrong.push('two alike, ' + told);
      const boxes = ticks.map((tick) => tick.getBoundingClientRect());
      const svg = figure.querySelector('svg').getBoundingClientRect();
      boxes.forEach((box, n) => {
        if (box.left < svg.left - 1 || box.right > svg.right + 1 || box.top < svg.top - 1 || box.bottom > svg.bottom + 1)
          wrong.push('outside, ' + told);
        if (n > 0 && axis === 'x' && box.left < boxes[n - 1].right + 3) wrong.push('too near, ' + told);
        if (n > 0 && axis === 'y' && box.bottom > boxes[n - 1].top + 3) wrong.push('too near, ' + told);
      });
    }
    return wrong; })())");
}

// The numbers of the labels of an axis: with the power and the offset of its note.
std::vector<double> labels_of(Browser& browser, const std::string& axis) {
  return browser.ask(
      R"((() => {
    const figure = document.querySelector('#time-picture figure');
    const note = figure.querySelector(')" +
      std::string(axis == "y" ? ".head" : ".foot") + R"( .note');
    let text = note ? note.textContent : '', scale = 1, offset = 0;
    const power = /×10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)/.exec(text);
    if (power) scale = Number('1e' + power[1].replace('⁻', '-').replace(/[⁰¹²³⁴⁵⁶⁷⁸⁹]/g, (d) => '⁰¹²³⁴⁵⁶⁷⁸⁹'.indexOf(d)));
    const sum = /([+−]) ([\d.e+-]+)$/.exec(text);
    if (sum) offset = (sum[1] === '+' ? 1 : -1) * Number(sum[2]);
    return [...figure.querySelectorAll('text.tick.)" +
      axis + R"(')].map((tick) => offset + scale * Number(tick.textContent.replace('−', '-'))); })())");
}

bool overflows(Browser& browser) {
  return browser.ask("document.documentElement.scrollWidth > document.documentElement.clientWidth");
}

void set_slider(Browser& browser, int value) {
  browser.ask("(() => { const s = document.getElementById('event-slider'); s.value = " +
              std::to_string(value) + "; s.dispatchEvent(new Event('input')); })()");
}

// Whether the expression is true, or becomes so within two seconds: a browser tells some things later.
bool comes_true(Browser& browser, const std::string& expression) {
  for (int k = 0; k < 100; ++k) {
    if (browser.ask(expression) == true) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

// saved() reads a file that a page saves, once it is there.
// A browser makes an empty file of this name before it moves the whole one there.
std::string saved(const Workplace& place, const std::string& name) {
  std::error_code error;
  const auto is_whole = [&] { return std::filesystem::file_size(place.path() / name, error) > 0 && !error; };
  for (int k = 0; k < 500 && !is_whole(); ++k) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return place.read(name);
}

}  // namespace

TEST_CASE("a steady gait looks steady: marks are thinned by kind and evenly") {
  if (skipped()) return;
  const Workplace place;
  place.write("wheel.toml", walker);
  const std::string page = page_of(place, {"wheel.toml"});
  const std::string sticks = "file://" + (place.path() / "sticks.html").string();
  REQUIRE(place.slideway({"run", "dry-friction", "--t-end", "3000", "--quiet", "--report", "sticks.html"})
              .status == 0);
  for (const int width : {desktop, phone}) {
    CAPTURE(width);
    Browser browser(place.path() / std::to_string(width), width, 900);
    browser.open_page(page);
    const Marks gait = marks_of(browser);
    REQUIRE(gait.all.at("reset").size() == 163);
    REQUIRE(gait.all.at("record").size() == 163);
    if (width == desktop) {
      CHECK(gait.drawn.at("reset").size() == 163);
      CHECK(gait.drawn.at("record").size() == 163);
    } else {
      // A mark needs three pixels, so that every second one of these is drawn.
      CHECK(gait.drawn.at("reset").size() == 82);
      CHECK(gait.drawn.at("record").size() == 82);
    }
    browser.open_page(sticks);
    for (const Marks& marks : {gait, marks_of(browser)}) {
      const double room = std::clamp(std::floor(marks.panel_width / 3), 20.0, 200.0);
      const double apart = (marks.end - marks.begin) / room;
      REQUIRE(marks.all.size() >= 2);
      for (const auto& [kind, times] : marks.all) {
        CAPTURE(kind);
        REQUIRE(marks.drawn.count(kind) == 1);
        const std::vector<double>& drawn = marks.drawn.at(kind);
        if (static_cast<double>(times.size()) <= room) {
          CHECK(drawn == times);
          continue;
        }
        CHECK(static_cast<double>(drawn.size()) <= room + 1);
        CHECK(largest_gap(drawn, marks.begin, marks.end) <=
              largest_gap(times, marks.begin, marks.end) + 1.0001 * apart);
        for (std::size_t k = 1; k < drawn.size(); ++k) CHECK(drawn[k] - drawn[k - 1] >= 0.9999 * apart);
      }
    }
    check_quiet(browser);
  }
}

TEST_CASE("events that are left out of a page have marks there") {
  if (skipped()) return;
  const Workplace place;
  Browser browser(place.path(), desktop, 900);
  browser.open_page(page_of(place, {"dry-friction", "--t-end", "60000", "--method", "dopri5"}));
  const Json gap = data_of(browser).at("gap");
  REQUIRE(gap.at("count").get<int>() > 5000);
  const std::string whole = text_of(browser, "#range");
  CHECK(contains(whole, " of " + std::to_string(10000 + gap.at("count").get<int>()) + " events drawn"));
  // Sliding begins once or twice in every period, all over the run and in a part of it that the page leaves out.
  const auto largest_gap_of_entries = [&]() -> double {
    return browser.ask(R"((() => {
      const box = document.querySelector('#time-picture rect.axis').getBoundingClientRect();
      const at = [...document.querySelectorAll('#time-picture figure:first-child path.event.solid')].map((e) => {
        const b = e.getBoundingClientRect(); return (b.left + b.right) / 2; });
      const all = [box.left, ...at, box.right].sort((a, b) => a - b);
      return Math.max(...all.slice(1).map((x, n) => x - all[n])); })())");
  };
  CHECK(largest_gap_of_entries() < 8);
  browser.ask("document.getElementById('in').click()");
  CHECK(text_of(browser, "#range") != whole);
  CHECK(largest_gap_of_entries() < 8);
  check_quiet(browser);
}

TEST_CASE("each axis has three ticks or more, whose labels say where they are and do not touch") {
  if (skipped()) return;
  const Workplace place;
  place.write(
      "offset.toml",
      "name = \"offset\"\n[states]\nx = 10000.000001\ny = 3e-9\nz = -4.2e7\nc = 5.0\n[time]\nend = 0.003\n"
      "[derivatives]\nx = \"1e-3*cos(3000*t)\"\ny = \"1e-6*cos(1000*t)\"\nz = \"1e9\"\nc = \"0\"\n");
  place.write("late.toml",
              "name = \"late\"\n[states]\nx = 1.0\n[time]\nstart = 86400.0\nend = 86400.5\n[derivatives]\nx "
              "= \"-9.7*x\"\n");
  // Seven ticks would have steps of 0.002 across the portrait, whose labels find no room on a phone.
  place.write("narrow.toml",
              "name = \"narrow\"\n[states]\nx = -0.01381\ny = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = "
              "\"0.01272\"\ny = \"x\"\n");
  for (const int width : {desktop, phone}) {
    CAPTURE(width);
    Browser browser(place.path() / std::to_string(width), width, 900);
    for (const char* model :
         {"narrow.toml", "offset.toml", "late.toml", "evaporator", "dry-friction", "corner"}) {
      CAPTURE(model);
      browser.open_page(page_of(place, {model}));
      CHECK(wrong_ticks(browser) == std::vector<std::string>());
      if (std::string(model) == "evaporator") {
        // The level of the overflow is 0.1 and has a line; the tick of 0.1 stands beside it.
        CHECK(
            browser
                .ask("(() => { const f = document.querySelectorAll('#time-picture figure')[1]; const tick = "
                     "[...f.querySelectorAll('text.tick.y')].find((t) => Number(t.textContent) === 0.1); "
                     "return "
                     "Math.abs(tick.getAttribute('y') - 4 - "
                     "f.querySelector('line.zero').getAttribute('y1')); })()")
                .get<double>() < 0.01);
      }
      if (std::string(model) == "offset.toml") {
        for (const double label : labels_of(browser, "y")) {
          CHECK(label >= 9999.9999);
          CHECK(label <= 10000.0001);
        }
        const std::vector<double> times = labels_of(browser, "x");
        CHECK(times.front() == doctest::Approx(0));
        CHECK(times.back() <= 0.0030001);
        CHECK(times.back() >= 0.002);
      }
      if (std::string(model) == "late.toml") {
        for (const double label : labels_of(browser, "x")) {
          CHECK(label >= 86400);
          CHECK(label <= 86400.5);
        }
      }
      // Ever nearer, down to a millionth of the run.
      for (int k = 0; k < 5; ++k)
        browser.ask("(() => { for (let k = 0; k < 4; ++k) document.getElementById('in').click(); })()");
      CHECK(wrong_ticks(browser) == std::vector<std::string>());
    }
    check_quiet(browser);
  }
}

TEST_CASE("the page fits a desktop and a phone, by day and by night") {
  if (skipped()) return;
  const Workplace place;
  for (const int width : {desktop, phone}) {
    CAPTURE(width);
    Browser browser(place.path() / std::to_string(width), width, 900);
    for (const char* model :
         {"evaporator", "corner", "bouncing-ball", "friction-belt", "heat-rod", "relay"}) {
      CAPTURE(model);
      const std::string page = page_of(place, {model});
      for (const char* scheme : {"light", "dark"}) {
        CAPTURE(scheme);
        browser.open_page(page);
        browser.prefer(scheme);
        CHECK_FALSE(overflows(browser));
        set_slider(browser, 1);
        CHECK_FALSE(overflows(browser));
        // Ink on paper: one of them is bright, the other dark.
        const auto brightness = [&](const std::string& selector, const std::string& property) -> double {
          return browser.ask("Math.max(...getComputedStyle(document.querySelector('" + selector + "'))['" +
                             property + "'].match(/\\d+/g).slice(0, 3).map(Number))");
        };
        const bool is_dark = std::string(scheme) == "dark";
        CHECK((brightness("body", "backgroundColor") < 60) == is_dark);
        CHECK((brightness("body", "backgroundColor") > 200) != is_dark);
        CHECK((brightness("body", "color") > 200) == is_dark);
        CHECK((brightness("svg text", "fill") > 140) == is_dark);
      }
      check_quiet(browser);
    }
  }
}

TEST_CASE("a panel can be enlarged over the window by pointer and by keys") {
  if (skipped()) return;
  const Workplace place;
  const std::string page = page_of(place, {"evaporator"});
  for (const int width : {desktop, phone}) {
    CAPTURE(width);
    Browser browser(place.path() / std::to_string(width), width, 900);
    browser.open_page(page);
    CHECK(browser.ask("document.querySelectorAll('figure .enlarge').length") == 3);
    const std::string second = "[...document.querySelectorAll('figure .enlarge')][1]";
    browser.ask(second + ".focus()");
    browser.press("Enter");
    CHECK(browser.ask("document.getElementById('enlarged').open") == true);
    CHECK(browser.ask(second + ".getAttribute('aria-expanded')") == "true");
    CHECK(text_of(browser, "#enlarged-title") == "L");
    const Json box = browser.ask(
        "(() => { const b = document.querySelector('#enlarged-panel svg').getBoundingClientRect();"
        " return [b.width / innerWidth, b.height / innerHeight]; })()");
    CHECK(box[0].get<double>() > 0.9);
    CHECK(box[1].get<double>() > 0.6);
    CHECK(browser.ask("document.querySelectorAll('#enlarged-panel path.curve').length") == 1);
    CHECK_FALSE(overflows(browser));
    // It can be pointed at and zoomed, as the panels behind it.
    const Box svg = box_of(browser, "#enlarged-panel svg");
    browser.move_to(svg.left + 0.6 * svg.width, svg.top + 0.5 * svg.height);
    CHECK(contains(text_of(browser, "#enlarged #hover"), "mode 0 sliding"));
    click_on(browser, "#enlarged-in");
    CHECK(text_of(browser, "#range") != "t = 0 … 60");
    // The slider comes with it, and goes back.
    browser.ask("document.getElementById('event-slider').focus()");
    browser.press("ArrowRight");
    CHECK(browser.ask("document.querySelectorAll('#enlarged .event.chosen').length") == 1);
    CHECK(contains(text_of(browser, "#enlarged #event-told"), "1 of 2: crossing"));
    browser.press("Escape");
    CHECK(browser.ask("document.getElementById('enlarged').open") == false);
    CHECK(comes_true(browser, "document.getElementById('slide').nextElementSibling.id === 'detail'"));
    CHECK(comes_true(browser, second + ".getAttribute('aria-expanded') === 'false'"));
    CHECK(comes_true(browser, "document.activeElement === " + second));
    click_on(browser, "#portrait .enlarge");
    CHECK(text_of(browser, "#enlarged-title") == "L over p");
    click_on(browser, "#enlarged-close");
    CHECK(browser.ask("document.getElementById('enlarged').open") == false);
    check_quiet(browser);
  }
}

TEST_CASE("the phase portrait is of any two of time, states and observables") {
  if (skipped()) return;
  const Workplace place;
  Browser browser(place.path(), desktop, 900);
  const auto choose = [&](const std::string& select, const std::string& name) {
    browser.ask("(() => { const s = document.getElementById('portrait-" + select +
                "'); s.value = [...s.options].find((o) => o.text === " + Json(name).dump() +
                ").value; s.dispatchEvent(new Event('change')); })()");
  };
  const auto names = [&] {
    return browser.ask("[...document.querySelectorAll('#portrait text tspan')].map((t) => t.textContent)");
  };
  const auto curve = [&] {
    return browser.ask("document.querySelector('#portrait path.curve').getAttribute('d')");
  };

  // Two states: their portrait; three and more: none, until one is chosen.
  browser.open_page(page_of(place, {gallery_folder + "dry_friction.toml", "--observe", "E = 0.5*v^2"}));
  CHECK(names() == Json({"v", "x"}));
  const Json first = curve();
  choose("up", "E");
  CHECK(names() == Json({"E", "x"}));
  CHECK(curve() != first);
  // Over time it is the panel over time, and the energy is never below zero.
  choose("across", "t");
  CHECK(names() == Json({"E", "t"}));
  choose("up", "v");
  // The surface v = 0 lies level, and upright if v is across.
  CHECK(
      browser.ask(
          "(() => { const l = document.querySelector('#portrait line.zero'); return l.getAttribute('y1') === "
          "l.getAttribute('y2'); })()") == true);
  choose("across", "v");
  choose("up", "E");
  CHECK(
      browser.ask(
          "(() => { const l = document.querySelector('#portrait line.zero'); return l.getAttribute('x1') === "
          "l.getAttribute('x2'); })()") == true);
  choose("across", "none");
  CHECK(browser.ask("document.getElementById('portrait').hidden") == true);
  CHECK(browser.ask("document.getElementById('portrait-up').disabled") == true);

  browser.open_page(page_of(place, {"relay"}));
  CHECK(browser.ask("document.getElementById('portrait').hidden") == true);
  CHECK(browser.ask("document.getElementById('portrait-across').options.length") == 5);
  choose("across", "x3");
  CHECK(browser.ask("document.getElementById('portrait').hidden") == false);
  CHECK(names() == Json({"x2", "x3"}));
  browser.open_page(page_of(place, {"relay", "--phase", "x3,x1"}));
  CHECK(names() == Json({"x1", "x3"}));

  // A surface of two states is a line in their plane alone, whichever way round.
  place.write(
      "line.toml",
      "[states]\nx = 1.0\ny = -2.0\nz = 0.5\n[time]\nend = 3\n[surfaces]\ns = \"x + y\"\n[derivatives]\n"
      "x = \"-sgn(s)\"\ny = \"-0.5*sgn(s) + 0.1*z\"\nz = \"-z\"\n");
  browser.open_page(page_of(place, {"line.toml"}));
  const auto lines = [&] { return browser.ask("document.querySelectorAll('#portrait path.zero').length"); };
  choose("across", "x");
  choose("up", "y");
  CHECK(lines() == 1);
  choose("across", "y");
  choose("up", "x");
  CHECK(lines() == 1);
  choose("up", "z");
  CHECK(lines() == 0);
  check_quiet(browser);
}

TEST_CASE("a page of twenty states offers them all") {
  if (skipped()) return;
  const Workplace place;
  Browser browser(place.path(), phone, 900);
  browser.open_page(page_of(place, {"friction-chain", "--set", "N=10", "--t-end", "5"}));
  CHECK(browser.ask("document.querySelectorAll('#states input').length") == 20);
  CHECK(browser.ask("document.getElementById('portrait-up').options.length") == 21);
  CHECK(browser.ask("document.querySelectorAll('#time-picture figure').length") == 4);
  browser.ask("document.querySelectorAll('#states input')[17].click()");
  CHECK(browser.ask("document.querySelectorAll('#time-picture figure').length") == 5);
  CHECK_FALSE(overflows(browser));
  CHECK(wrong_ticks(browser) == std::vector<std::string>());
  check_quiet(browser);
}

TEST_CASE("a slider goes from event to event, with the keys of the keyboard") {
  if (skipped()) return;
  const Workplace place;
  Browser browser(place.path(), phone, 900);
  browser.open_page(page_of(place, {"evaporator"}));
  CHECK(browser.ask("document.querySelector('label[for=event-slider]').innerText") == "event");
  CHECK(contains(text_of(browser, "#event-told"), "none of 2"));
  CHECK(browser.ask("document.querySelectorAll('.at-event').length") == 0);
  browser.ask("document.getElementById('event-slider').focus()");
  browser.press("ArrowRight");
  CHECK(contains(text_of(browser, "#event-told"), "1 of 2: crossing at t = 7.66"));
  browser.press("ArrowRight");
  const std::string told = text_of(browser, "#event-told");
  CHECK(contains(told, "2 of 2: sliding entry at t = 10.98"));
  CHECK(contains(told, "mode before + after 0"));
  CHECK(contains(told, "both fields push onto the surface"));
  CHECK(contains(browser.ask("document.getElementById('event-slider').getAttribute('aria-valuetext')"),
                 "2 of 2"));
  CHECK(browser.ask("document.querySelectorAll('#time-picture .at-event').length") == 2);
  CHECK(browser.ask("document.querySelectorAll('#pictures .event.chosen').length") == 3);
  CHECK(browser.ask("document.querySelectorAll('#pictures .event.chosen[data-event=\"1\"]').length") == 3);
  // The line stands at the event's time, between the first tick and the last.
  CHECK(browser
            .ask("(() => { const r = document.querySelector('#time-picture rect.axis'); const x = "
                 "Number(r.getAttribute('x')), "
                 "w = Number(r.getAttribute('width')); return "
                 "(Number(document.querySelector('.at-event').getAttribute('x1')) - x) / w * 60; })()")
            .get<double>() == doctest::Approx(10.984195).epsilon(1e-4));
  CHECK(browser.ask("document.querySelector('#events tr.chosen').dataset.row") == "1");
  CHECK(browser.ask("document.getElementById('event-next').disabled") == true);
  browser.press("Home");
  CHECK(contains(text_of(browser, "#event-told"), "none of 2"));
  CHECK(browser.ask("document.querySelectorAll('.event.chosen, .at-event, tr.chosen').length") == 0);
  CHECK(browser.ask("document.getElementById('detail').hidden") == true);

  // The window follows an event that is outside, and the table turns its pages without moving this one.
  browser.open_page(page_of(place, {"dry-friction", "--t-end", "600"}));
  browser.ask("(() => { for (let k = 0; k < 5; ++k) document.getElementById('in').click(); })()");
  const std::string range = text_of(browser, "#range");
  browser.ask("document.getElementById('event-slider').focus()");
  const Json scrolled = browser.ask("scrollY");
  browser.press("End");
  CHECK(text_of(browser, "#range") != range);
  CHECK(browser.ask("document.querySelectorAll('#time-picture .at-event').length") == 2);
  const auto count = static_cast<int>(data_of(browser).at("events").size());
  REQUIRE(count > 100);
  CHECK(browser.ask("document.querySelector('#events tr.chosen').dataset.row") == std::to_string(count - 1));
  CHECK(browser.ask("(() => { const b = "
                    "document.querySelector('#events').closest('.scroll').getBoundingClientRect(), r = "
                    "document.querySelector('#events tr.chosen').getBoundingClientRect(); return r.top >= "
                    "b.top - 1 && r.bottom <= "
                    "b.bottom + 1; })()") == true);
  CHECK(browser.ask("scrollY") == scrolled);

  // One event, and none.
  browser.open_page(page_of(place, {"corner"}));
  browser.ask("document.getElementById('event-slider').focus()");
  browser.press("ArrowRight");
  CHECK(contains(text_of(browser, "#event-told"), "1 of 1: corner at t = 1"));
  place.write("plain.toml", "[states]\nx = 1.0\n[time]\nend = 2\n[derivatives]\nx = \"-x\"\n");
  browser.open_page(page_of(place, {"plain.toml"}));
  CHECK(browser.ask("document.getElementById('event-slider').disabled") == true);
  CHECK(contains(text_of(browser, "#event-told"), "no events"));
  check_quiet(browser);
}

TEST_CASE("a panel is saved as a drawing that looks the same elsewhere, whatever the page looks like") {
  if (skipped()) return;
  const Workplace place;
  const std::string page = page_of(place, {"evaporator"});
  for (const char* scheme : {"light", "dark"}) {
    CAPTURE(scheme);
    Browser browser(place.path() / scheme, desktop, 900);
    browser.open_page(page);
    browser.prefer(scheme);
    browser.save_files_in(place.path());
    set_slider(browser, 1);
    const std::string curve =
        browser.ask("document.querySelectorAll('#time-picture path.curve')[1].getAttribute('d')");
    const std::string slide =
        browser.ask("document.querySelectorAll('#time-picture path.slide')[1].getAttribute('d')");
    const int marks = browser.ask(
        "document.querySelectorAll('#time-picture "
        "figure')[1].querySelectorAll('path.event:not(.chosen)').length");
    std::filesystem::remove(place.path() / "evaporator-L.svg");
    browser.ask(
        "document.querySelectorAll('#time-picture figure')[1].querySelector('.tools button').click()");
    const std::string drawing = saved(place, "evaporator-L.svg");
    REQUIRE(contains(drawing, "<svg"));
    CHECK(contains(drawing, curve));
    CHECK(contains(drawing, slide));
    CHECK(marks == 2);
    for (const char* of_the_page : {"var(", "class=", "url(http", "tabindex", "at-event"}) {
      CAPTURE(of_the_page);
      CHECK_FALSE(contains(drawing, of_the_page));
    }
    // Opened by itself, as any program would: it is well formed, and in the colours of paper.
    browser.open_page("file://" + (place.path() / "evaporator-L.svg").string());
    CHECK(browser.ask("document.documentElement.tagName") == "svg");
    CHECK(browser.ask("document.querySelectorAll('parsererror').length") == 0);
    const std::string path =
        "[...document.querySelectorAll('path')].find((p) => p.getAttribute('d') === " + Json(curve).dump() +
        ")";
    CHECK(browser.ask("getComputedStyle(" + path + ").stroke") == "rgb(0, 114, 178)");
    CHECK(browser.ask("getComputedStyle(" + path + ").fill") == "none");
    CHECK(browser.ask("getComputedStyle(document.querySelector('rect')).fill") == "rgb(255, 255, 255)");
    CHECK(browser.ask("getComputedStyle(document.querySelector('text')).fontSize") == "12px");
    CHECK(browser.ask(path + ".getBoundingClientRect().width > 300") == true);
    CHECK(browser
              .ask("[...document.querySelectorAll('text')].filter((t) => "
                   "/^[0-9.−]+$/.test(t.textContent)).length")
              .get<int>() >= 6);
    check_quiet(browser);
  }
}

TEST_CASE("the curves are saved as CSV, with the numbers of the page and of the run") {
  if (skipped()) return;
  const Workplace place;
  place.write("named.toml",
              "name = \"ball / 2\"\n[states]\ny = 1.0\nv = 0.0\n[time]\nend = 2\n[derivatives]\ny = \"v\"\nv "
              "= \"-9.81\"\n"
              "[[resets]]\nwhen = \"y\"\ndirection = \"falling\"\nset = { v = \"-0.7*v\" }\n");
  Browser browser(place.path(), desktop, 900);
  browser.open_page(page_of(place, {"named.toml", "--observe", "E = 9.81*y + v^2/2"}));
  browser.save_files_in(place.path());
  click_on(browser, "#save-curves");
  const std::string csv = saved(place, "ball_2.csv");
  const Json curves = data_of(browser).at("curves");
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  CHECK(line == "t,y,v,E");
  std::size_t row = 0;
  for (; std::getline(lines, line); ++row) {
    REQUIRE(row < curves.at("t").size());
    std::vector<double> values;
    for (const char* at = line.data(); at <= line.data() + line.size();) {
      double value = 0;
      const auto [end, error] = std::from_chars(at, line.data() + line.size(), value);
      REQUIRE(error == std::errc());
      values.push_back(value);
      at = end + 1;
    }
    REQUIRE(values.size() == 4);
    CHECK(values[0] == curves.at("t")[row].get<double>());
    for (std::size_t k = 0; k < 3; ++k) CHECK(values[k + 1] == curves.at("x")[k][row].get<double>());
    // Seven digits would not keep the energy of a flight.
    if (values[0] < 0.45) CHECK(values[3] == doctest::Approx(9.81).epsilon(1e-12));
  }
  CHECK(row == curves.at("t").size());
  CHECK(row > 500);
  check_quiet(browser);
}

TEST_CASE("equations are seen as formulas") {
  if (skipped()) return;
  const Workplace place;
  const std::string page = page_of(place, {"evaporator"});
  for (const int width : {desktop, phone}) {
    CAPTURE(width);
    Browser browser(place.path() / std::to_string(width), width, 900);
    browser.open_page(page);
    CHECK(browser.ask("document.querySelectorAll('.equations math').length").get<int>() >= 3);
    CHECK(browser.ask("[...document.querySelectorAll('math, mi, mn, mfrac, msub')].every((m) => { const b = "
                      "m.getBoundingClientRect(); "
                      "return b.width > 1 && b.height > 1; })") == true);
    // A numerator stands above its denominator, and a subscript lower than its letter.
    CHECK(browser.ask("[...document.querySelectorAll('mfrac')].every((f) => "
                      "f.children[0].getBoundingClientRect().bottom <= "
                      "f.children[1].getBoundingClientRect().top + 2)") == true);
    CHECK(browser.ask("document.querySelectorAll('mfrac').length").get<int>() == 4);
    CHECK(browser.ask("[...document.querySelectorAll('msub')].every((s) => "
                      "s.children[1].getBoundingClientRect().bottom > "
                      "s.children[0].getBoundingClientRect().bottom)") == true);
    CHECK(browser.ask("document.querySelector('details.as-text').open") == false);
    check_quiet(browser);
  }
}

TEST_CASE("the page of every model is in order on a desktop and on a phone") {
  if (skipped()) return;
  const Workplace place;
  std::vector<std::string> models;
  for (const slideway::Model& model : slideway::models::catalogue()) models.push_back(model.name);
  for (const auto& entry : std::filesystem::directory_iterator(gallery_folder))
    if (entry.path().extension() == ".toml") models.push_back(entry.path().string());
  REQUIRE(models.size() > 70);
  std::sort(models.begin(), models.end());
  std::unique_ptr<Browser> desk, hand;
  for (std::size_t k = 0; k < models.size(); ++k) {
    CAPTURE(models[k]);
    // A browser lives for two minutes.
    if (k % 20 == 0) {
      desk = std::make_unique<Browser>(place.path() / ("desk" + std::to_string(k)), desktop, 900);
      hand = std::make_unique<Browser>(place.path() / ("hand" + std::to_string(k)), phone, 900);
    }
    const std::string page = page_of(place, {models[k]});
    for (Browser* browser : {desk.get(), hand.get()}) {
      browser->open_page(page);
      CHECK(browser->ask("document.body.classList.contains('ready')") == true);
      CHECK(wrong_ticks(*browser) == std::vector<std::string>());
      CHECK_FALSE(overflows(*browser));
      CHECK(browser->ask(
                "(() => { const m = [...document.querySelectorAll('math')]; return m.length > 0 && "
                "m.every((e) => { "
                "const b = e.getBoundingClientRect(); return b.width > 2 && b.height > 4; }); })()") == true);
      set_slider(*browser, 1);
      CHECK_FALSE(overflows(*browser));
      const std::string text = text_of(*browser, "body");
      for (const char* slip : {"NaN", "undefined", "Infinity"}) CHECK_FALSE(contains(text, slip));
      check_quiet(*browser);
    }
  }
}
