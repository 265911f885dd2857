#include "lab/runs/run_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <string_view>
#include <system_error>

#include "core/io/file.h"
#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/io/sha256.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kKeyDigits = 64;

std::string reason(int code) {
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) {
    return "the disk is full; free some space and start again, what is in the "
           "file counts";
  }
  return std::generic_category().message(code);
}

LoggedRun parse_record(std::string_view line, const std::string& place) {
  const Json json = core::parse_json(line, place);
  if (!json.is_object()) fail("is no JSON object");
  return logged_run_from_json(json);
}

// Adds the good lines of `file` to the table and says what is wrong with
// others.
void read_records(const std::filesystem::path& file, std::string_view text,
                  RunTable& table, std::vector<std::string>& broken) {
  int64_t number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
    ++number;
    if (line.empty()) continue;
    const std::string place = fmt::format("{}:{}", file.string(), number);
    try {
      table.keep(
          core::reading(place, [&] { return parse_record(line, place); }));
    } catch (const Error& error) {
      broken.emplace_back(error.what());
    }
  }
}

}  // namespace

std::string run_key(const RunOptions& options, int64_t split,
                    const std::string& fingerprint) {
  Json identity = run_identity(options, fingerprint);
  identity["split"] = split;
  core::Sha256 hash;
  hash.update(identity.dump());
  return hash.hex();
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  const size_t size =
      std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return std::string(text, size);
}

Json to_json(const LoggedRun& run) {
  Json json = {{"key", run.key},
               {"split", run.split},
               {"status", run.result ? "done" : "failed"},
               {"seconds", run.seconds},
               {"config", to_json(run.options)},
               {"fingerprint", run.fingerprint},
               {"command", run.command},
               {"version", run.version},
               {"commit", run.commit},
               {"finished", run.finished}};
  if (run.result) {
    json["result"] = to_json(*run.result);
  } else {
    json["error"] = run.error;
  }
  return json;
}

LoggedRun logged_run_from_json(const Json& json) {
  LoggedRun run;
  run.key = json.at("key").get<std::string>();
  if (run.key.size() != kKeyDigits) {
    fail("has a key of {} characters, not {}", run.key.size(), kKeyDigits);
  }
  run.split = core::whole_number(json, "split");
  const auto status = json.at("status").get<std::string>();
  if (status == "done") {
    run.result = run_result_from_json(json.at("result"));
  } else if (status == "failed") {
    run.error = json.at("error").get<std::string>();
  } else {
    fail("has the status '{}', which is neither done nor failed", status);
  }
  run.seconds = core::real_number(json, "seconds", 0);
  run.options = run_options_from_json(json.at("config"));
  run.fingerprint = json.at("fingerprint").get<std::string>();
  run.command = json.at("command").get<std::string>();
  run.version = json.at("version").get<std::string>();
  run.commit = json.at("commit").get<std::string>();
  run.finished = json.at("finished").get<std::string>();
  // Not the key as written: options that have come since are at what the run
  // did without them, and the run is still the one that is asked for.
  run.key = run_key(run.options, run.split, run.fingerprint);
  return run;
}

void RunTable::keep(LoggedRun run) {
  const auto [place, is_new] = places_.emplace(run.key, runs_.size());
  if (is_new) {
    runs_.push_back(std::move(run));
    return;
  }
  LoggedRun& before = runs_[place->second];
  if (run.result || !before.result) before = std::move(run);
}

const LoggedRun* RunTable::find(const std::string& key) const {
  const auto place = places_.find(key);
  return place == places_.end() ? nullptr : &runs_[place->second];
}

RunLog::RunLog(std::filesystem::path folder) : file_(folder / "runs.jsonl") {
  std::error_code status;
  std::filesystem::create_directories(folder, status);
  if (status) fail_in(folder, "cannot create the folder: " + status.message());
  if (!lock_.open(file_, O_WRONLY | O_APPEND | O_CREAT)) {
    fail_in(file_,
            "is in use by another process; wait for it or choose another "
            "--out");
  }
  const std::string text = core::read_file(file_);
  needs_newline_ = !text.empty() && text.back() != '\n';
  read_records(file_, text, table_, broken_);
}

const LoggedRun* RunLog::find(const std::string& key) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return table_.find(key);
}

std::vector<LoggedRun> RunLog::runs() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return table_.runs();
}

void RunLog::append(const std::vector<LoggedRun>& runs) {
  std::string lines;
  for (const LoggedRun& run : runs) {
    // Messages of libraries may hold bytes that are no text.
    lines += to_json(run).dump(-1, ' ', false, Json::error_handler_t::replace);
    lines += '\n';
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (needs_newline_) lines.insert(0, 1, '\n');
  // In one call, so that a kill leaves whole lines or none in most cases.
  ssize_t written = 0;
  do {
    written = ::write(lock_.descriptor(), lines.data(), lines.size());
  } while (written < 0 && errno == EINTR);
  needs_newline_ = written != static_cast<ssize_t>(lines.size());
  if (needs_newline_) {
    fail_in(file_,
            "cannot be written: " + reason(written < 0 ? errno : ENOSPC));
  }
  if (::fdatasync(lock_.descriptor()) != 0 && errno != EINVAL) {
    fail_in(file_, "cannot be flushed to the disk: " + reason(errno));
  }
  for (const LoggedRun& run : runs) table_.keep(run);
}

std::vector<LoggedRun> read_run_log(const std::filesystem::path& file,
                                    std::vector<std::string>* broken) {
  RunTable table;
  std::vector<std::string> complaints;
  read_records(file, core::read_file(file), table, complaints);
  if (broken != nullptr) *broken = std::move(complaints);
  return table.runs();
}

}  // namespace ordered_gnn::lab
