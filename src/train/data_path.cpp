#include "train/data_path.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "data/generators/synthetic.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

// The option that holds a path: the data itself, or the root of a named
// dataset. Null where there is none.
std::string* path_in(DataOptions& options) {
  if (options.data.empty() || data::is_synthetic_spec(options.data)) {
    return nullptr;
  }
  const bool is_named =
      options.format == "auto" && find_named_dataset(options.data) != nullptr;
  return is_named ? &options.data_root : &options.data;
}

std::string absolute_text(const fs::path& path) {
  std::error_code status;
  // What is not there stays relative unless it is made absolute first.
  fs::path whole = fs::absolute(path, status);
  if (!status) whole = fs::weakly_canonical(whole, status);
  return status ? "" : whole.string();
}

// Options that lead to one place where the data may be.
struct Candidate {
  DataOptions options;
  std::string place;  ///< absolute; empty where it is no path
  bool is_root;       ///< of a named dataset, which may be elsewhere too
};

std::vector<Candidate> candidates_of(const Trained& trained,
                                     const DataOptions& how) {
  DataOptions typed = how;
  const std::string* const path = path_in(typed);
  if (path == nullptr) return {{typed, "", false}};
  const bool is_root = path == &typed.data_root;
  std::vector<Candidate> out = {
      {typed, path->empty() ? "" : absolute_text(*path), is_root}};
  for (const std::string& place : {trained.data_nearby, trained.data_path}) {
    const bool is_known =
        std::any_of(out.begin(), out.end(),
                    [&](const Candidate& one) { return one.place == place; });
    if (place.empty() || is_known) continue;
    DataOptions moved = how;
    *path_in(moved) = place;
    out.push_back({std::move(moved), place, is_root});
  }
  return out;
}

// Looks for the data of a training, place by place.
class Search {
 public:
  Search(const Trained& trained, const DataOptions& how)
      : trained_(trained), candidates_(candidates_of(trained, how)) {
    // A folder that the user has just named is the only one meant.
    if (how.data != trained.options.data.data ||
        how.data_root != trained.options.data.data_root) {
      candidates_.resize(1);
    }
  }

  FoundData run() {
    for (const Candidate& candidate : candidates_) {
      if (std::optional<NodeDataset> data = try_place(candidate)) {
        return {std::move(*data), {}};
      }
    }
    if (!changed_) fail_not_found();
    return {std::move(*changed_),
            {fmt::format("'{}' is not what it was when the model was trained; "
                         "it is used as it is now",
                         trained_.options.data.data)}};
  }

 private:
  // The data of a place when it is that of the training.
  std::optional<NodeDataset> try_place(const Candidate& candidate) {
    if (!candidate.place.empty() && !candidate.is_root &&
        !data::is_there(candidate.place)) {
      looked_.push_back(candidate.place + ": nothing is there");
      return std::nullopt;
    }
    try {
      return load_and_compare(candidate);
    } catch (const Error& error) {
      if (candidates_.size() == 1) throw;
      looked_.push_back(candidate.place.empty()
                            ? error.what()
                            : candidate.place + ": " + error.what());
    }
    return std::nullopt;
  }

  std::optional<NodeDataset> load_and_compare(const Candidate& candidate) {
    // With the splits of the training, which are part of its fingerprint.
    DataOptions then = candidate.options;
    then.format = trained_.options.data.format;
    then.split_set = trained_.options.data.split_set;
    then.split_seed = trained_.options.data.split_seed;
    then.split_file = trained_.options.data.split_file;
    const bool has_other_splits =
        then.format != candidate.options.format ||
        then.split_set != candidate.options.split_set ||
        then.split_seed != candidate.options.split_seed ||
        then.split_file != candidate.options.split_file;
    const bool is_only_place = candidates_.size() == 1;
    if (has_other_splits && is_only_place) {
      return load_dataset(candidate.options);
    }
    NodeDataset data = load_dataset(then);
    const bool is_same = trained_.fingerprint.empty() ||
                         data.provenance.fingerprint == trained_.fingerprint;
    if (has_other_splits) data = load_dataset(candidate.options);
    if (is_same) return data;
    const bool is_its_place = trained_.data_path.empty() ||
                              candidate.place.empty() ||
                              candidate.place == trained_.data_path;
    if (is_its_place) {
      changed_ = std::move(data);
    } else {
      looked_.push_back(candidate.place + ": other data");
    }
    return std::nullopt;
  }

  [[noreturn]] void fail_not_found() const {
    fail(
        "the data that the model was trained on, '{}', was not found. Looked "
        "at\n  {}\nGive its place, or other data to use the model on, with "
        "--data.",
        trained_.options.data.data, fmt::join(looked_, "\n  "));
  }

  const Trained& trained_;
  std::vector<Candidate> candidates_;
  std::vector<std::string> looked_;
  std::optional<NodeDataset> changed_;  ///< in its place, but not the same
};

}  // namespace

std::string training::absolute_data_path(const DataOptions& options) {
  DataOptions own = options;
  const std::string* const path = path_in(own);
  if (path == nullptr) return "";
  // Named datasets are searched in ./datasets too, see data_roots().
  const std::string place = absolute_text(path->empty() ? "datasets" : *path);
  return data::is_there(place) ? place : "";
}

std::string training::data_path_text(const Trained& trained,
                                     const fs::path& file) {
  const fs::path folder = fs::path(absolute_text(file)).parent_path();
  Json out = Json::object();
  const auto relative = [&](const std::string& path) {
    return fs::path(path).lexically_relative(folder).string();
  };
  if (!trained.data_path.empty()) {
    out["absolute"] = trained.data_path;
    if (!folder.empty()) out["relative"] = relative(trained.data_path);
  }
  const std::string& splits = trained.options.data.split_file;
  if (!splits.empty() && !folder.empty()) {
    out["split_file"] = relative(absolute_text(splits));
  }
  if (out.empty()) return "";
  // A path may hold bytes that are no UTF-8; it is then not found again.
  return out.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void training::read_data_path(const Json& json, const fs::path& file,
                              Trained& out) {
  const fs::path folder = fs::path(absolute_text(file)).parent_path();
  const bool has_data = !json.contains("split_file");
  out.data_path = has_data ? json.at("absolute").get<std::string>()
                           : json.value("absolute", std::string());
  const auto relative = json.value("relative", std::string());
  if (!relative.empty()) out.data_nearby = absolute_text(folder / relative);
  const auto splits = json.value("split_file", std::string());
  if (splits.empty() || data::is_there(out.options.data.split_file)) return;
  const std::string nearby = absolute_text(folder / splits);
  if (data::is_there(nearby)) out.options.data.split_file = nearby;
}

FoundData load_training_data(const Trained& trained, const DataOptions& how) {
  return Search(trained, how).run();
}

FoundData load_training_data(const Trained& trained) {
  return load_training_data(trained, data_for(trained));
}

}  // namespace ordered_gnn
