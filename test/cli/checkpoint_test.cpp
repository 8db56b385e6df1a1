// `slideway run --checkpoint` and `--from`: killed runs go on bit for bit, and what does not fit is refused with a reason.
#include <doctest/doctest.h>

#include <chrono>
#include <random>
#include <thread>

#include "test/cli/program.hpp"

namespace slideway::test {

namespace {

using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const Words outputs = {"--csv", "run.csv", "--json", "run.json", "--all-events"};
const Words checkpoints = {"--checkpoint", "run.ck", "--every", "50steps"};

struct Results {
  std::string csv, json, summary;
  bool operator==(const Results&) const = default;
};

Results results_of(const Workplace& place, const Finished& finished) {
  CHECK(finished.err.empty());
  return {place.read("run.csv"), place.read("run.json"), finished.out};
}

// With SIGKILL after some time, or SIGTERM.
void check_goes_on(const Words& model, int number) {
  const Workplace undisturbed;
  const Words begin = joined(joined(joined({"run"}, model), outputs), checkpoints);
  const Words resume = joined({"run", "--from", "run.ck"}, outputs);
  const Results expected = results_of(undisturbed, undisturbed.slideway(begin));
  REQUIRE(undisturbed.has("run.ck"));
  REQUIRE(expected.csv.size() > 1000);

  std::mt19937 random(1);
  const Workplace place;
  int resumed = 0, stopped = 0;
  bool ended = false, was_killed = false;
  for (int kill = 0; kill < 6 && !ended; ++kill) {
    const bool has_checkpoint = place.has("run.ck");
    // A process that is still being loaded has no handler of SIGTERM, but one that has written a checkpoint does.
    const std::string before = has_checkpoint && number == SIGTERM ? place.read("run.ck") : "";
    Started run(place, has_checkpoint ? resume : begin);
    const bool has_begun = run.wait_until(
        [&] { return (place.has("run.ck") && place.read("run.ck") != before) || place.has("run.csv"); }, 20);
    REQUIRE(has_begun);
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 40));
    run.signal(number);
    const Finished finished = run.wait();
    ended = finished.status == 0;
    resumed += has_checkpoint ? 1 : 0;
    // SIGTERM ends a run at once that has come to its end and writes its results.
    const bool was_stopped = number == SIGTERM && finished.status == 4;
    stopped += was_stopped ? 1 : 0;
    was_killed = was_killed || (!ended && !was_stopped);
    CHECK(finished.status == (ended ? 0 : was_stopped ? 4 : -1));
    if (was_stopped) {
      CHECK(contains(finished.err, "stopped by SIGTERM at t = "));
      CHECK(contains(finished.err, "slideway run --from run.ck"));
      CHECK((was_killed || !place.has("run.csv")));
    }
  }
  if (number == SIGTERM) CHECK(stopped > 0);
  CHECK(resumed > 0);
  const Results got = results_of(place, place.slideway(resume));
  CHECK(got.csv == expected.csv);
  CHECK(got.json == expected.json);
  CHECK(got.summary == expected.summary);
}

}  // namespace

TEST_CASE("a run with friction that is killed goes on bit for bit") {
  check_goes_on({"dry-friction", "--t-end", "2000"}, SIGKILL);
}

TEST_CASE("a run with contacts that is killed goes on bit for bit") {
  check_goes_on({"impact-oscillator", "--t-end", "1000"}, SIGKILL);
}

TEST_CASE("a run of an automaton that is killed goes on bit for bit") {
  check_goes_on({"thermostat", "--t-end", "12000"}, SIGKILL);
}

TEST_CASE("a run by a multistep method that is killed goes on bit for bit") {
  check_goes_on({"dry-friction", "--t-end", "800", "--method", "adams"}, SIGKILL);
}

TEST_CASE("a run with friction in a plane that is killed goes on bit for bit") {
  check_goes_on({"gallery/turntable_block.toml", "--set", "a=0.004", "--t-end", "607", "--method", "dopri5",
                 "--rtol", "1e-10"},
                SIGKILL);
}

TEST_CASE("SIGTERM has a checkpoint written, and the run goes on bit for bit") {
  check_goes_on({"dry-friction", "--t-end", "4000"}, SIGTERM);
}

TEST_CASE("a checkpoint of another problem is refused with the reason") {
  const Workplace place;
  const Words begin = {"run",          "dry-friction", "--t-end", "100",
                       "--checkpoint", "run.ck",       "--every", "50steps"};
  REQUIRE(place.slideway(begin).status == 0);
  const auto refused = [&](const Words& more, const std::string& reason) {
    const Finished finished = place.slideway(joined({"run"}, more));
    CHECK(finished.status == 2);
    CHECK(finished.out.empty());
    CHECK_MESSAGE(contains(finished.err, reason), finished.err);
  };
  CHECK(place.slideway({"run", "--from", "run.ck", "--json", "-"}).status == 0);
  CHECK(place.slideway({"run", "dry-friction", "--from", "run.ck", "--json", "-"}).status == 0);
  refused({"--from", "run.ck", "--set", "mu=0.3"}, "another model");
  refused({"evaporator", "--from", "run.ck"}, "another");
  refused({"--from", "run.ck", "--rtol", "1e-9"}, "another option rtol");
  refused({"--from", "run.ck", "--method", "adams"}, "another option method");
  refused({"--from", "run.ck", "--t-end", "200"}, "another end");
  refused({"--from", "run.ck", "--every", "70steps"}, "every 50 steps");
  refused({"--from", "run.ck", "--csv", "table.csv"}, "kept no trajectory");
  refused({"--from", "absent.ck"}, "cannot read the checkpoint 'absent.ck'");
  refused({}, "lacks MODEL");
  refused({"dry-friction", "--every", "50steps"}, "--checkpoint FILE beside it");
  refused({"dry-friction", "--checkpoint", "other.ck", "--every", "5"}, "seconds, as 60s");
  refused({"dry-friction", "--checkpoint", "other.ck", "--passivity"}, "the work of friction");
  refused({"dry-friction", "evaporator", "--plot", "a.gp", "--checkpoint", "other.ck"},
          "one run, not several");
  refused({"dry-friction", "--checkpoint", "-"}, "a file that is replaced");
}

TEST_CASE("a damaged checkpoint is refused with the reason") {
  const Workplace place;
  const Words begin = {"run",          "dry-friction", "--t-end", "100",
                       "--checkpoint", "run.ck",       "--every", "50steps"};
  REQUIRE(place.slideway(begin).status == 0);
  const std::string document = place.read("run.ck");
  const std::string log = place.read("run.ck.log");
  const auto refused = [&](const std::string& reason) {
    const Finished finished = place.slideway({"run", "--from", "run.ck"});
    CHECK(finished.status == 2);
    CHECK_MESSAGE(contains(finished.err, reason), finished.err);
  };
  place.write("run.ck", document.substr(0, document.size() / 2));
  refused("damaged");
  std::string other = document;
  other.replace(other.find("\"t\": \"0x1.") + 10, 1,
                other[other.find("\"t\": \"0x1.") + 10] == '1' ? "2" : "1");
  place.write("run.ck", other);
  refused("checksum");
  other = document;
  other.replace(other.find("checkpoint/3"), 12, "checkpoint/9");
  place.write("run.ck", other);
  refused("slideway.checkpoint/9");
  place.write("run.ck", document);
  std::string changed = log;
  changed[changed.size() / 2] = changed[changed.size() / 2] == '0' ? '1' : '0';
  place.write("run.ck.log", changed);
  refused("damaged");
  place.write("run.ck.log", log.substr(0, log.size() / 2));
  refused("damaged");
  // Text that a killed process added before it could say so is no damage.
  place.write("run.ck.log", log + "{\"event\": {");
  CHECK(place.slideway({"run", "--from", "run.ck", "--quiet"}).status == 0);
}

TEST_CASE("a run that begins anew keeps the checkpoint of another until it has one") {
  const Workplace place;
  REQUIRE(
      place
          .slideway({"run", "dry-friction", "--t-end", "100", "--checkpoint", "run.ck", "--every", "50steps"})
          .status == 0);
  CHECK(place.has("run.ck.log"));
  REQUIRE(
      place.slideway({"run", "dry-friction", "--t-end", "90", "--checkpoint", "run.ck", "--every", "50steps"})
          .status == 0);
  CHECK(place.has("run.ck.log2"));
  CHECK(!place.has("run.ck.log"));
  CHECK(place.slideway({"run", "--from", "run.ck", "--quiet"}).status == 0);
}

TEST_CASE("when checkpoints are written makes no difference to a run") {
  const Workplace place;
  const Words run = {"run",   "dry-friction", "--t-end", "6000",        "--method",
                     "adams", "--json",       "-",       "--checkpoint"};
  const Finished by_steps = place.slideway(joined(run, {"a.ck", "--every", "10000steps"}));
  const Finished by_time = place.slideway(joined(run, {"b.ck", "--every", "0.01s"}));
  CHECK(by_steps.status == 0);
  CHECK(by_steps.out == by_time.out);
  CHECK(contains(by_steps.out, "\"wall_seconds\":null"));
}

}  // namespace slideway::test
