// FMUs behind the C interface. WebAssembly goes without them.
#include "apps/fmu_binary.hpp"
#include "lib/c/model.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/fmi/export.hpp"
#include "slideway/fmi/import.hpp"

using namespace slideway;
using namespace slideway::door;

namespace {

// Refuses what is left of the options.
void check_taken(const OptionText& words, const char* where, const char* expected) {
  if (!words.empty())
    refuse({.what = "there is no such option",
            .where = where,
            .expected = expected,
            .got = words.front().first});
}

FmuImport import_options(OptionText words) {
  FmuImport how;
  if (const auto value = taken(words, "co_simulation"))
    how.prefers_co_simulation = truth_of("co_simulation", *value);
  if (const auto value = taken(words, "communication_step"))
    how.communication_step = number_of("communication_step", *value);
  how.inputs = taken(words, "inputs").value_or("");
  if (const auto value = taken(words, "isolate")) how.isolated = truth_of("isolate", *value);
  if (const auto value = taken(words, "patience")) how.patience = number_of("patience", *value);
  if (const auto value = taken(words, "log")) how.log = parts_of(*value);
  check_taken(words, "sw_read_fmu", "co_simulation, communication_step, inputs, isolate, patience or log");
  return how;
}

FmiVersion version_of(const std::string& value) {
  if (value != "2.0" && value != "3.0")
    refuse(
        {.what = "an option has no such value", .where = "version", .expected = "2.0 or 3.0", .got = value});
  return value == "2.0" ? FmiVersion::two : FmiVersion::three;
}

FmuKind kind_of(const std::string& value) {
  if (value == "me") return FmuKind::model_exchange;
  if (value == "cs") return FmuKind::co_simulation;
  if (value != "both")
    refuse(
        {.what = "an option has no such value", .where = "kind", .expected = "me, cs or both", .got = value});
  return FmuKind::both;
}

}  // namespace

int sw_read_fmu(const char* path, const char* options, sw_model** model) {
  return make(model, [&](sw_model& made) {
    const FmuImport how = import_options(options_in(options == nullptr ? "" : options));
    made.attend = &tell_steps;
    made.take([&] { return read_fmu(given(path, "path"), how); });
    return SW_OK;
  });
}

int sw_write_fmu(const sw_model* model, const char* path, const char* options) {
  return answer(model, [&] {
    const sw_model& of = *given(model, "model");
    if (of.called || of.has_called_events)
      refuse({.what = "a model with functions of the caller cannot be carried",
              .where = "sw_write_fmu",
              .expected = "a model file, or a model of the catalogue"});
    OptionText words = options_in(options == nullptr ? "" : options);
    FmuExport what{.model_text = of.text, .settings = of.settings, .observe = of.observed};
    what.version = version_of(taken(words, "version").value_or("3.0"));
    what.kind = kind_of(taken(words, "kind").value_or("both"));
    what.inputs = parts_of(taken(words, "inputs").value_or(""));
    what.tunable = parts_of(taken(words, "tunable").value_or(""));
    what.binary = apps::fmu_binary({taken(words, "folder").value_or(".")});
    OptionText all = of.options;
    merge(all, words);
    what.options = run_options(all, of.usable().defaults).run;
    write_fmu(given(path, "path"), of.usable(), what);
    return SW_OK;
  });
}
