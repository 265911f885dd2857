#include "ordered_gnn/data/registry.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>

#include "core/io/text/text.h"
#include "core/names.h"
#include "core/out_of_memory.h"
#include "data/drawn_splits.h"
#include "data/fetch/dataset_files.h"
#include "data/fingerprint.h"
#include "data/formats/csv/dataset.h"
#include "data/formats/ogb/ogb.h"
#include "data/generators/synthetic.h"
#include "data/load_dataset.h"
#include "data/paths.h"
#include "data/split_file.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/loaders.h"
#include "ordered_gnn/data/splits.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

struct Location {
  fs::path root;
  fs::path folder;
};

std::optional<Location> locate(const NamedDataset& named,
                               const std::vector<fs::path>& roots) {
  for (const fs::path& root : roots) {
    for (const std::string& folder : named.folders) {
      if (data::missing_files(named, root / folder).empty()) {
        return Location{root, root / folder};
      }
    }
  }
  return std::nullopt;
}

// A folder that has some but not all of the files is the likeliest place, so
// what it lacks is said first.
std::string partial_matches(const NamedDataset& named,
                            const std::vector<fs::path>& roots) {
  std::string message;
  for (const fs::path& root : roots) {
    for (const std::string& folder : named.folders) {
      const std::vector<std::string> missing =
          data::missing_files(named, root / folder);
      if (missing.size() < named.files.size()) {
        message += fmt::format("\n  {} lacks {}", (root / folder).string(),
                               fmt::join(missing, ", "));
      }
    }
  }
  return message;
}

[[noreturn]] void fail_not_found(const NamedDataset& named,
                                 const std::vector<fs::path>& roots) {
  std::string message =
      fmt::format("the files of dataset '{}' were not found.", named.name);
  message += partial_matches(named, roots);
  message += fmt::format("\nLooked for {} (plain or .gz) in the folders",
                         fmt::join(named.files, ", "));
  for (const std::string& folder : named.folders) {
    message += "\n  " + folder;
  }
  message += "\nof the roots";
  for (const fs::path& root : roots) {
    message += fmt::format("\n  {}{}", root.string(),
                           data::is_there(root) ? "" : " (does not exist)");
  }
  message += fmt::format(
      "\nSet --data-root or OGNN_DATA to the folder they are in, or get them "
      "with "
      "'ognn data fetch {}'.",
      named.name);
  throw Error(message);
}

LoadOptions load_options(const DataOptions& options,
                         const std::string& split_set) {
  LoadOptions load;
  load.split_set = split_set;
  load.columns = options.columns;
  load.missing_columns = options.missing_columns;
  load.unlabelled = options.unlabelled;
  return load;
}

data::FoundDataset find_named(const NamedDataset& named,
                              const DataOptions& options,
                              const std::string& split_set) {
  const std::vector<fs::path> roots = data_roots(options.data_root);
  const std::optional<Location> location = locate(named, roots);
  if (!location) fail_not_found(named, roots);
  LoadOptions load = load_options(options, split_set);
  load.name = named.name;
  load.split_prefix = named.split_prefix;
  load.split_folders.push_back(location->folder);
  for (const std::string& folder : named.split_folders) {
    load.split_folders.push_back(location->root / folder);
  }
  load.year_classes = named.year_classes;
  const fs::path path =
      named.files.size() == 1
          ? core::plain_or_gzipped(location->folder / named.files[0])
          : location->folder;
  return {&find_loader(path, named.format), path, load, named.treatment};
}

[[noreturn]] void fail_unknown(const std::string& data) {
  std::vector<std::string> known;
  for (const NamedDataset& named : named_datasets()) {
    known.push_back(named.name);
  }
  throw UsageError(core::unknown_name_message("dataset", data, known) +
                   "; or give the path of an existing file or folder, or "
                   "synthetic:NAME");
}

RawDataset load_synthetic(const std::string& spec,
                          const std::string& split_set) {
  if (split_set != "auto" && split_set != "none") {
    throw UsageError(fmt::format(
        "--split-set '{}': generated graphs have their own splits (auto) or "
        "random:48/32/20 and stratified:48/32/20",
        split_set));
  }
  RawDataset raw = data::generate_synthetic(spec);
  if (split_set == "none") {
    raw.splits.clear();
    raw.split_set.clear();
  }
  return raw;
}

RawDataset load_any(const DataOptions& options, const std::string& split_set) {
  if (options.data.empty()) {
    throw UsageError(
        "no dataset was chosen; give a name, a path or synthetic:NAME");
  }
  if (data::is_synthetic_spec(options.data)) {
    return load_synthetic(options.data, split_set);
  }
  const data::FoundDataset found = data::find_dataset(options, split_set);
  RawDataset raw = load_with(*found.loader, found.path, found.load);
  if (found.recommended) raw.recommended = found.recommended;
  return raw;
}

// Splits as the files have them, of a file of their own, or drawn.
RawDataset load_with_splits(const DataOptions& options) {
  const std::string split_set = data::split_set_of_files(options);
  RawDataset raw = core::naming_activity(
      "loading " + options.data, [&] { return load_any(options, split_set); });
  data::attach_chosen_splits(options, raw);
  return raw;
}

std::string absolute_path(const std::string& path) {
  std::error_code failed;
  const fs::path whole = fs::absolute(path, failed).lexically_normal();
  return failed ? path : whole.string();
}

}  // namespace

data::FoundDataset data::find_dataset(const DataOptions& options,
                                      const std::string& split_set) {
  const NamedDataset* const named = find_named_dataset(options.data);
  if (named != nullptr && options.format == "auto") {
    return find_named(*named, options, split_set);
  }
  const bool looks_like_path = options.data.find('/') != std::string::npos ||
                               options.format != "auto" ||
                               fs::path(options.data).has_extension();
  if (!looks_like_path && !data::is_there(options.data))
    fail_unknown(options.data);
  return {&find_loader(options.data, options.format), options.data,
          load_options(options, split_set), std::nullopt};
}

std::string data::split_set_of_files(const DataOptions& options) {
  const bool random = is_random_split_set(options.split_set);
  // Checked first: a misspelled split set should not cost a long read.
  if (random) parse_random_splits(options.split_set);
  check_split_file(options);
  return random || !options.split_file.empty() ? "none" : options.split_set;
}

void data::attach_chosen_splits(const DataOptions& options, RawDataset& raw) {
  if (is_random_split_set(options.split_set)) {
    draw_splits(options.split_set, options.split_seed, raw);
  }
  if (!options.split_file.empty()) attach_split_file(options.split_file, raw);
}

const NamedDataset* find_named_dataset(const std::string& name) {
  for (const NamedDataset& named : named_datasets()) {
    if (same_option(named.name, name)) return &named;
  }
  return nullptr;
}

std::vector<fs::path> data_roots(const std::string& data_root) {
  std::vector<fs::path> roots;
  if (!data_root.empty()) roots.emplace_back(data_root);
  const std::string from_environment = environment("OGNN_DATA");
  if (!from_environment.empty()) roots.emplace_back(from_environment);
  roots.emplace_back("datasets");
  const fs::path cache = data::user_cache_folder();
  if (!cache.empty()) roots.push_back(cache / "datasets");
  return roots;
}

RawDataset resolve_dataset(const DataOptions& options) {
  RawDataset raw = load_with_splits(options);
  raw.provenance.fingerprint = data::content_fingerprint(raw);
  return raw;
}

NodeDataset load_dataset(const DataOptions& options) {
  const ThreadScope threads;
  const RawDataset raw = resolve_dataset(options);
  return prepare(raw, resolve_treatment(options.treatment, raw));
}

namespace {

void draw_splits_if_none(DataOptions& options, RawDataset& raw) {
  const bool is_published =
      options.format == "auto" && find_named_dataset(options.data) != nullptr;
  if (raw.splits.empty() && options.split_set == "auto" && !is_published) {
    options.split_set = data::draw_missing_splits(options.split_seed, raw);
  }
}

// A source of the files that were found; null where their format has none.
std::unique_ptr<data::GraphSource> open_found(const data::FoundDataset& found,
                                              std::string& why_not) {
  if (found.loader->name == "ogb") {
    return data::open_ogb(found.path, found.load);
  }
  if (found.loader->name == "csv") {
    return data::open_csv_dataset(found.path, found.load, why_not);
  }
  why_not = fmt::format("{} files are read as a whole", found.loader->name);
  return nullptr;
}

}  // namespace

std::unique_ptr<data::GraphSource> data::open_training_dataset(
    DataOptions& options, std::string& why_not) {
  const std::string split_set = split_set_of_files(options);
  if (options.data.empty() || is_synthetic_spec(options.data)) {
    why_not = "generated graphs are made as a whole";
    return nullptr;
  }
  if (!options.split_file.empty()) {
    options.split_file = absolute_path(options.split_file);
  }
  const FoundDataset found = find_dataset(options, split_set);
  require_split_set(*found.loader, split_set);
  std::unique_ptr<GraphSource> source = open_found(found, why_not);
  if (!source) return nullptr;
  if (!options.split_file.empty() && source->names_are_its_own()) {
    why_not = "--split-file names nodes by texts";
    return nullptr;
  }
  RawDataset& nodes = source->nodes();
  if (found.recommended) nodes.recommended = found.recommended;
  attach_chosen_splits(options, nodes);
  draw_splits_if_none(options, nodes);
  return source;
}

NodeDataset data::load_training_dataset(
    DataOptions& options,
    const std::function<void(const RawDataset&)>& on_raw) {
  const ThreadScope threads;
  if (!options.split_file.empty()) {
    options.split_file = absolute_path(options.split_file);
  }
  RawDataset raw = load_with_splits(options);
  draw_splits_if_none(options, raw);
  raw.provenance.fingerprint = content_fingerprint(raw);
  if (on_raw) on_raw(raw);
  return prepare(raw, resolve_treatment(options.treatment, raw));
}

NodeDataset load_training_dataset(DataOptions& options) {
  return data::load_training_dataset(options, nullptr);
}

NodeDataset load_dataset(const std::string& data) {
  DataOptions options;
  options.data = data;
  return load_dataset(options);
}

}  // namespace ordered_gnn
