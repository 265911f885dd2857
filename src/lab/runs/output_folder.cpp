#include "lab/runs/output_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "core/affixes.h"
#include "core/io/file.h"
#include "core/io/json_reader.h"
#include "core/io/temporary_file.h"
#include "lab/runs/run_files.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

namespace fs = std::filesystem;

// The marker of a run of ours, null when the folder has none.
Json read_marker(const fs::path& folder, const FolderKind& kind) {
  const fs::path file = folder / kind.marker;
  if (!fs::exists(file)) return nullptr;
  const std::optional<Json> marker =
      core::parse_json_or_nothing(core::read_file(file, 1 << 24));
  const bool ours = marker && marker->is_object() &&
                    marker->value("format", Json()) == kind.format;
  return ours ? *marker : Json(nullptr);
}

std::string differing_keys(const Json& before, const Json& now) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : now.items()) {
    if (!before.contains(key) || before[key] != value) {
      const bool is_data = key == "fingerprint";
      keys.push_back(fmt::format(
          "{} ({} then, {} now)", is_data ? "the data or its splits" : key,
          before.value(key, Json()).dump(), value.dump()));
    }
  }
  for (const auto& [key, value] : before.items()) {
    if (!now.contains(key)) {
      keys.push_back(fmt::format("{} ({} then, none now)", key, value.dump()));
    }
  }
  return fmt::format("{}", fmt::join(keys, ", "));
}

// True for nothing, or what is left when writing the marker was cut.
bool is_unused(const fs::path& folder, const FolderKind& kind) {
  const std::string prefix = "." + kind.marker + ".";
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!core::starts_with(name, prefix) || !core::is_temporary(name)) {
      return false;
    }
  }
  return true;
}

void check_resumable(const fs::path& path, const Json& marker,
                     const Json& identity, const FolderKind& kind) {
  const Json before = marker.value("identity", Json::object());
  if (!before.is_object()) {
    fail_in(path / kind.marker,
            fmt::format("is damaged: the identity of the {} is {} instead of "
                        "an object; choose another --out",
                        kind.noun, before.type_name()));
  }
  const std::string differing = differing_keys(before, identity);
  if (!differing.empty()) {
    fail_in(path, fmt::format("holds a {} with other settings: {}; use the "
                              "same ones or another --out",
                              kind.noun, differing));
  }
}

void check_existing(const fs::path& path, ExistingOutput existing,
                    const Json& identity, const FolderKind& kind) {
  if (!fs::is_directory(path)) {
    fail_in(path, "exists and is not a folder; choose another --out");
  }
  if (is_unused(path, kind)) return;
  const Json marker = read_marker(path, kind);
  if (marker.is_null()) {
    fail_in(path,
            "exists and was not written by this program, nothing in it was "
            "touched; choose another --out");
  }
  switch (existing) {
    case ExistingOutput::refuse:
      fail_in(path,
              fmt::format("already holds a {}; add --resume to go on with it, "
                          "--overwrite to replace it, or choose another --out",
                          kind.noun));
    case ExistingOutput::resume:
      check_resumable(path, marker, identity, kind);
      break;
    case ExistingOutput::overwrite:
      break;
  }
}

}  // namespace

Json folder_fact(const fs::path& folder, const std::string& name,
                 const FolderKind& kind) {
  const Json marker = read_marker(folder, kind);
  return marker.is_null() ? marker : marker.value(name, Json());
}

OutputFolder::OutputFolder(fs::path path, ExistingOutput existing,
                           const Json& identity, const Json& about,
                           FolderKind kind)
    : path_(std::move(path)), kind_(std::move(kind)) {
  const bool exists = fs::exists(path_);
  if (exists) check_existing(path_, existing, identity, kind_);
  std::error_code status;
  fs::create_directories(path_, status);
  if (status) fail_in(path_, "cannot create the folder: " + status.message());
  lock();
  core::remove_leftovers(path_);
  // The marker is replaced below and never missing, so that a kill in between
  // leaves a folder that is known to be ours.
  if (existing == ExistingOutput::overwrite && exists) {
    left_ = remove_run_files(path_, kind_.marker);
  }
  if (existing == ExistingOutput::resume) {
    marker_ = read_marker(path_, kind_);
    if (!marker_.is_null()) return;
  }
  marker_ = about;
  marker_["format"] = kind_.format;
  marker_["version"] = kVersion;
  marker_["commit"] = kCommit;
  marker_["identity"] = identity;
  write_marker();
}

Json OutputFolder::fact(const std::string& name) const {
  return marker_.value(name, Json());
}

void OutputFolder::set_fact(const std::string& name, const Json& value) {
  marker_[name] = value;
  write_marker();
}

void OutputFolder::write_marker() const {
  core::write_file(path_ / kind_.marker, marker_.dump(2) + "\n");
}

void OutputFolder::lock() {
  if (lock_.open(path_, O_RDONLY | O_DIRECTORY)) return;
  fail_in(path_, fmt::format("is in use by another {}; wait for it or choose "
                             "another --out",
                             kind_.noun));
}

}  // namespace ordered_gnn::lab
