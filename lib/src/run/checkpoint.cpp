// The text of a checkpoint.
#include "slideway/simulate/checkpoint.hpp"

#include <fmt/format.h>

#include "run/checkpoint_log.hpp"
#include "run/checkpoint_problem.hpp"
#include "run/field_saver.hpp"
#include "slideway/core/version.hpp"

namespace slideway {

namespace {

using Json = FieldsJson;

constexpr const char* kFormat = "slideway.checkpoint/3";
// The document ends with the only line that is a brace by itself.
constexpr const char* kEndOfDocument = "\n}\n";

std::string checksum_text(std::uint64_t checksum) { return fmt::format("{:016x}", checksum); }

std::string checksum_of(const Json& content) {
  return checksum_text(checksum_after(LogPosition{}.checksum, content.dump()));
}

[[noreturn]] void refuse_damaged(const std::string& how) {
  throw CheckpointError("the checkpoint is damaged: " + how + "; use another one, or begin the run again");
}

// The content of a document that is whole and of this version.
Json content_of(const std::string& document) {
  Json whole;
  try {
    whole = Json::parse(document);
  } catch (const Json::exception&) {
    refuse_damaged("it is no JSON document, or a part of one");
  }
  const auto text_at = [&](const char* name) {
    return whole.is_object() && whole.contains(name) && whole[name].is_string()
               ? whole[name].get<std::string>()
               : std::string();
  };
  if (text_at("format") != kFormat) {
    throw CheckpointError(
        fmt::format("this is no checkpoint of this version (expected format \"{}\", got \"{}\")", kFormat,
                    text_at("format")));
  }
  if (text_at("slideway") != version()) {
    throw CheckpointError(
        fmt::format("the checkpoint is of another version of slideway (expected {}, got {}); go on with that "
                    "version, or begin the run again",
                    version(), text_at("slideway")));
  }
  if (!whole.contains("content") || text_at("checksum") != checksum_of(whole["content"]))
    refuse_damaged("its checksum is not that of its content");
  return whole["content"];
}

LogPosition log_end(const Json& log) {
  LogPosition end;
  end.events = log.at("events").get<std::size_t>();
  end.segments = log.at("segments").get<std::size_t>();
  end.steps = log.at("steps").get<std::size_t>();
  end.bytes = log.at("bytes").get<std::uint64_t>();
  end.checksum = std::stoull(log.at("checksum").get<std::string>(), nullptr, 16);
  return end;
}

}  // namespace

std::string Checkpoint::log_from(LogPosition& position) const { return log_lines(*so_far_, position); }

std::string Checkpoint::document(const LogPosition& log, const std::string& log_file) const {
  const Json content = {
      {"t", hexadecimal(t_)},
      {"steps", steps_},
      {"note", note_},
      {"interval", {{"steps", interval_steps_}, {"seconds", hexadecimal(interval_seconds_)}}},
      {"problem", Json::parse(problem_)},
      {"state", Json::parse(state_)},
      {"log",
       {{"file", log_file},
        {"events", log.events},
        {"segments", log.segments},
        {"steps", log.steps},
        {"bytes", log.bytes},
        {"checksum", checksum_text(log.checksum)}}}};
  const Json whole = {
      {"format", kFormat}, {"slideway", version()}, {"checksum", checksum_of(content)}, {"content", content}};
  return whole.dump(1) + '\n';
}

std::string Checkpoint::serialise() const {
  LogPosition position;
  const std::string log = log_from(position);
  return document(position, "") + log;
}

std::string Checkpoint::log_file_of(const std::string& document, LogPosition& log) {
  const Json content = content_of(document);
  try {
    log = log_end(content.at("log"));
    return content.at("log").at("file").get<std::string>();
  } catch (const std::exception& error) {
    refuse_damaged(error.what());
  }
}

Checkpoint Checkpoint::restore(const std::string& text) {
  const std::size_t end = text.find(kEndOfDocument);
  if (end == std::string::npos) refuse_damaged("it has no end");
  const std::size_t length = end + std::string(kEndOfDocument).size();
  return restore(text.substr(0, length), text.substr(length));
}

Checkpoint Checkpoint::restore(const std::string& document, const std::string& log) {
  const Json content = content_of(document);
  try {
    const LogPosition end = log_end(content.at("log"));
    if (log.size() != end.bytes || checksum_after(LogPosition{}.checksum, log) != end.checksum) {
      refuse_damaged(fmt::format("its log has {} bytes and the checksum {}, and not {} bytes and {}",
                                 log.size(), checksum_text(checksum_after(LogPosition{}.checksum, log)),
                                 end.bytes, checksum_text(end.checksum)));
    }
    Checkpoint checkpoint;
    checkpoint.t_ = from_hexadecimal(content.at("t").get<std::string>());
    checkpoint.steps_ = content.at("steps").get<std::int64_t>();
    checkpoint.note_ = content.at("note").get<std::string>();
    checkpoint.interval_steps_ = content.at("interval").at("steps").get<std::int64_t>();
    checkpoint.interval_seconds_ = from_hexadecimal(content.at("interval").at("seconds").get<std::string>());
    checkpoint.problem_ = content.at("problem").dump();
    checkpoint.state_ = content.at("state").dump();
    checkpoint.run_ = run_of(content.at("problem"));
    checkpoint.records_trajectory_ = content.at("problem").at("options").at("recording") == "dense";
    auto so_far = std::make_shared<Solution>();
    so_far->trajectory = Trajectory(checkpoint.run_.state.size(), nullptr);
    read_log_lines(log, *so_far);
    checkpoint.so_far_ = std::move(so_far);
    return checkpoint;
  } catch (const CheckpointError&) {
    throw;
  } catch (const std::exception& error) {
    refuse_damaged(error.what());
  }
}

}  // namespace slideway
