#include "lib/c/handle.hpp"
#include "lib/c/model.hpp"

using namespace slideway;
using namespace slideway::door;

struct sw_saved final : Handle {
  std::optional<std::vector<std::string>> names(std::string_view) const override { return std::nullopt; }
  std::optional<Vector> values(std::string_view) const override { return std::nullopt; }
  std::string document(std::string_view) override {
    throw Refused(SW_MISUSE, "what is saved has no documents");
  }
};

struct sw_live final : Handle {
  std::optional<std::vector<std::string>> names(std::string_view) const override { return std::nullopt; }
  std::optional<Vector> values(std::string_view) const override { return std::nullopt; }
  std::string document(std::string_view) override {
    throw Refused(SW_MISUSE, "a live run has no documents; sw_live_run() makes a run of it");
  }
};

namespace {

[[noreturn]] void refuse_live() { throw Refused(SW_ABSENT, "live runs are not in this version"); }

int refuse_live(const Handle* handle) {
  return answer(handle, []() -> int { refuse_live(); });
}

}  // namespace

int sw_live_begin(const sw_model*, sw_live** live) {
  return make(live, [](sw_live&) -> int { refuse_live(); });
}
int sw_live_advance(sw_live* live, double) { return refuse_live(live); }
int sw_live_next_event(sw_live* live, double, int64_t*) { return refuse_live(live); }
const char* sw_live_status(const sw_live*, double*) { return nullptr; }
int sw_live_states(const sw_live* live, double*, int64_t) { return refuse_live(live); }
int sw_live_set_states(sw_live* live, const double*, int64_t) { return refuse_live(live); }
int sw_live_set(sw_live* live, int64_t, double) { return refuse_live(live); }
int sw_live_changed(sw_live* live) { return refuse_live(live); }
int sw_live_save(sw_live* live, sw_saved**) { return refuse_live(live); }
int sw_live_restore(sw_live* live, const sw_saved*) { return refuse_live(live); }
int sw_live_run(sw_live* live, sw_run**) { return refuse_live(live); }
int sw_live_take(sw_live* live, sw_run**) { return refuse_live(live); }
