#include "lab/serve/state_folder.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "core/affixes.h"
#include "core/io/file.h"
#include "core/io/folder.h"
#include "core/io/sha256.h"
#include "core/io/temporary_file.h"
#include "data/fingerprint.h"
#include "data/formats/csv/nodes.h"
#include "data/formats/npz/dataset.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLogPrefix = "changes-";
constexpr const char* kLogEnding = ".log";
constexpr const char* kGraphPrefix = "graph-";
constexpr const char* kGraphEnding = ".npz";
constexpr size_t kDigits = 12;

// The number in a name of ours; nothing for another name.
std::optional<int64_t> number_in(const fs::path& file, const char* prefix,
                                 const char* ending) {
  std::string name = file.filename().string();
  if (!core::starts_with(name, prefix) || !core::ends_with(name, ending)) {
    return std::nullopt;
  }
  name = name.substr(strlen(prefix),
                     name.size() - strlen(prefix) - strlen(ending));
  if (name.size() < kDigits) return std::nullopt;
  const size_t first = std::min(name.find_first_not_of('0'), name.size() - 1);
  return data::plain_number(name.substr(first));
}

}  // namespace

std::string graph_identity(const RawDataset& raw) {
  core::Sha256 hash;
  // What was read has it already.
  const std::string& known = raw.provenance.fingerprint;
  hash.update(known.empty() ? data::content_fingerprint(raw) : known);
  for (const auto* names : {&raw.node_names, &raw.class_names}) {
    hash.update(fmt::format("\n{}\n", names->size()));
    for (const std::string& name : *names) {
      hash.update(fmt::format("{}:", name.size()));
      hash.update(name);
    }
  }
  return hash.hex();
}

StateFolder::StateFolder(fs::path folder) : folder_(std::move(folder)) {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) {
    fail_in(folder_, fmt::format("cannot be made: {}", error.message()));
  }
  lock();
  core::remove_leftovers(folder_);
  read_last_log();
}

void StateFolder::lock() {
  if (lock_.open(folder_ / "lock", O_RDWR | O_CREAT, 0600)) return;
  fail_in(folder_,
          "is in use by another server; stop that one, or give this one a "
          "--state of its own");
}

fs::path StateFolder::log_file(int64_t sequence) const {
  return folder_ / fmt::format("{}{:012}{}", kLogPrefix, sequence, kLogEnding);
}

fs::path StateFolder::graph_file(int64_t sequence) const {
  return folder_ /
         fmt::format("{}{:012}{}", kGraphPrefix, sequence, kGraphEnding);
}

void StateFolder::read_last_log() {
  int64_t last = -1;
  for (const fs::path& file : core::entries_of(folder_)) {
    last = std::max(last, number_in(file, kLogPrefix, kLogEnding).value_or(-1));
  }
  if (last < 0) return;
  const fs::path file = log_file(last);
  content_ = parse_log(core::read_file(file), file.string());
  has_log_ = true;
  if (content_.header.base_sequence != last) {
    fail_in(file, fmt::format("the log begins with change {}; was it renamed?",
                              content_.header.base_sequence));
  }
}

void StateFolder::fail_replaced() const {
  fail_in(log_file(base_sequence()),
          "the graph that its changes were made to has been replaced since, or "
          "the folder is that of another; give the server another --state, or "
          "move this folder away to start from the graph that is there");
}

fs::path StateFolder::base() const {
  return base_sequence() == 0 ? fs::path() : graph_file(base_sequence());
}

void StateFolder::start(const std::string& identity, const Json& origin) {
  const fs::path file = log_file(base_sequence());
  if (!has_log_) {
    content_.header = {0, identity, origin};
    const std::string start = log_start(content_.header);
    core::write_file(file, start);
    content_.end = static_cast<int64_t>(start.size());
  } else if (content_.header.base != identity) {
    fail_replaced();
  }
  log_ = std::make_unique<ChangeLog>(file, content_.end);
  content_.records.clear();
  content_.records.shrink_to_fit();
  remove_others();
}

void StateFolder::write_graph(const RawDataset& raw, int64_t sequence) const {
  data::write_npz_dataset(graph_file(sequence), raw);
}

void StateFolder::start_log(const std::string& identity, int64_t sequence,
                            int64_t position) {
  const fs::path file = log_file(sequence);
  const LogHeader header{sequence, identity, origin()};
  std::string start = log_start(header);
  start += log_->from(position);
  try {
    core::write_file(file, start);
    log_ =
        std::make_unique<ChangeLog>(file, static_cast<int64_t>(start.size()));
  } catch (...) {
    // The old log goes on, so that the new one must not be found.
    std::error_code error;
    fs::remove(file, error);
    if (error || core::flush_folder(folder_) != 0) {
      log_->refuse(fmt::format("'{}' cannot be deleted", file.string()));
    }
    throw;
  }
  content_.header = header;
}

void StateFolder::remove_others() const {
  for (const fs::path& file : core::entries_of(folder_)) {
    const auto log = number_in(file, kLogPrefix, kLogEnding);
    const auto graph = number_in(file, kGraphPrefix, kGraphEnding);
    const int64_t number = log.value_or(graph.value_or(base_sequence()));
    std::error_code ignored;
    if (number != base_sequence()) fs::remove(file, ignored);
  }
}

}  // namespace ordered_gnn::lab
