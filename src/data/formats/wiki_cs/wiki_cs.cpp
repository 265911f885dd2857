#include "data/formats/wiki_cs/wiki_cs.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <string>
#include <system_error>

#include "core/io/text/text.h"
#include "data/formats/feature_rows.h"
#include "data/formats/npz/arrays.h"
#include "data/formats/tensor_of.h"
#include "data/formats/wiki_cs/json_lists.h"
#include "data/paths.h"
#include "data/split_checks.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWikiCsFile = "data.json";
// Several times the published file. A text of nothing but links takes eight
// times as much as edges.
constexpr int64_t kMaxWikiCsBytes = int64_t{1} << 27;

struct WikiCsLists {
  using Kind = JsonList::Kind;
  JsonList features{"features", Kind::numbers, true};
  JsonList labels{"labels", Kind::integers, false};
  JsonList links{"links", Kind::integers, true};
  JsonList train{"train_masks", Kind::flags, true};
  JsonList val{"val_masks", Kind::flags, true};
  JsonList stopping{"stopping_masks", Kind::flags, true};
  JsonList test{"test_mask", Kind::flags, false};
};

// The file of a folder, or the path where there is none.
fs::path wiki_cs_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_directory(path, ignored)) return path;
  for (const fs::path& folder : {path, path / "raw"}) {
    const fs::path file = core::plain_or_gzipped(folder / kWikiCsFile);
    if (is_there(file)) return file;
  }
  return path / kWikiCsFile;
}

void require_there(const JsonList& list, const fs::path& file) {
  if (list.is_there) return;
  fail_in(file, fmt::format("{}: is missing; expected features, labels and "
                            "links, and for splits train_masks, val_masks and "
                            "test_mask",
                            list.key));
}

void require_entries(const JsonList& list, int64_t num_nodes,
                     const fs::path& file) {
  require_there(list, file);
  const int64_t found = list.is_nested ? list.num_rows() : list.num_values();
  if (found != num_nodes) {
    fail_in(file, fmt::format("{}: has {} entries for {} labels", list.key,
                              found, num_nodes));
  }
}

void require_width(const JsonList& list, int64_t width, const fs::path& file) {
  for (int64_t row = 0; row < list.num_rows(); ++row) {
    if (list.row_size(row) != width) {
      fail_in(file, fmt::format("{}: row {} has {} values, expected {}",
                                list.key, row, list.row_size(row), width));
    }
  }
}

NodeFeatures wiki_cs_features(const JsonList& list, const fs::path& file) {
  const int64_t width = list.row_size(0);
  if (width == 0) fail_in(file, "features: expected numbers, found none");
  require_width(list, width, file);
  return in_file(file, [&] {
    return features_from_dense(
        tensor_of(list.numbers).view({list.num_rows(), width}));
  });
}

at::Tensor wiki_cs_edges(const JsonList& links) {
  const auto count = static_cast<int64_t>(links.integers.size());
  at::Tensor edges = at::empty({2, count}, at::kLong);
  int64_t* const from = edges.data_ptr<int64_t>();
  for (int64_t row = 0; row < links.num_rows(); ++row) {
    std::fill_n(from + links.row_begin(row), links.row_size(row), row);
  }
  std::copy(links.integers.begin(), links.integers.end(), from + count);
  return edges;
}

// [S, N] uint8 of a list of S masks.
at::Tensor mask_rows(const JsonList& list, int64_t num_nodes,
                     const fs::path& file) {
  require_width(list, num_nodes, file);
  at::Tensor masks = at::empty({list.num_rows(), num_nodes}, at::kByte);
  std::copy(list.flags.begin(), list.flags.end(), masks.data_ptr<uint8_t>());
  return masks;
}

void require_masks(const WikiCsLists& lists, const RawDataset& raw,
                   const fs::path& file) {
  require_there(lists.train, file);
  require_there(lists.val, file);
  require_entries(lists.test, raw.num_nodes, file);
  for (const JsonList* list : {&lists.val, &lists.stopping}) {
    if (list->is_there && list->num_rows() != lists.train.num_rows()) {
      fail_in(file,
              fmt::format("{}: has {} masks, train_masks has {}", list->key,
                          list->num_rows(), lists.train.num_rows()));
    }
  }
}

void read_wiki_cs_splits(const WikiCsLists& lists, const fs::path& file,
                         RawDataset& raw) {
  require_masks(lists, raw, file);
  at::Tensor val = mask_rows(lists.val, raw.num_nodes, file);
  if (lists.stopping.is_there) {
    val = val.logical_or(mask_rows(lists.stopping, raw.num_nodes, file));
    raw.provenance.notes.emplace_back(
        "the val part of a split is its val_masks and stopping_masks");
  }
  at::Tensor test = at::empty({raw.num_nodes}, at::kByte);
  std::copy(lists.test.flags.begin(), lists.test.flags.end(),
            test.data_ptr<uint8_t>());
  raw.splits = splits_of_masks(
      {{{lists.train.key, mask_rows(lists.train, raw.num_nodes, file)},
        {lists.val.key, val},
        {lists.test.key,
         test.expand({lists.train.num_rows(), raw.num_nodes})}}},
      raw.num_nodes, file.string());
  raw.split_set = "file";
}

void attach_wiki_cs_splits(const WikiCsLists& lists, const fs::path& file,
                           const std::string& split_set, RawDataset& raw) {
  if (split_set == "none") return;
  if (lists.train.is_there || lists.val.is_there || lists.test.is_there) {
    read_wiki_cs_splits(lists, file, raw);
  } else if (split_set != "auto") {
    fail_in(file,
            "there are no splits in this file: train_masks, val_masks and "
            "test_mask are missing; --split-set stratified:60/20/20 draws "
            "some");
  }
}

}  // namespace

bool is_wiki_cs(const fs::path& path) {
  const fs::path file = wiki_cs_file(path);
  const std::string name = file.filename().string();
  return is_there(file) &&
         (name == kWikiCsFile || name == std::string(kWikiCsFile) + ".gz");
}

RawDataset load_wiki_cs(const fs::path& path, const LoadOptions& options) {
  const fs::path file = wiki_cs_file(path);
  WikiCsLists lists;
  read_json_lists(file,
                  {&lists.features, &lists.labels, &lists.links, &lists.train,
                   &lists.val, &lists.stopping, &lists.test},
                  kMaxWikiCsBytes);
  RawDataset raw;
  raw.name =
      options.name.empty() ? name_from_path(file.parent_path()) : options.name;
  raw.provenance.format = "wiki-cs";
  raw.provenance.files = {file.string()};
  raw.labels = tensor_of(lists.labels.integers);
  raw.num_nodes = raw.labels.size(0);
  require_there(lists.labels, file);
  if (raw.num_nodes == 0) fail_in(file, "labels: a dataset needs a node");
  const int64_t largest = raw.labels.max().item<int64_t>();
  raw.num_classes = std::min(largest, kMaxClasses) + 1;  // cannot overflow
  require_entries(lists.features, raw.num_nodes, file);
  require_entries(lists.links, raw.num_nodes, file);
  raw.features = wiki_cs_features(lists.features, file);
  raw.edges = wiki_cs_edges(lists.links);
  attach_wiki_cs_splits(lists, file, options.split_set, raw);
  in_file(file, [&] { validate(raw); });
  return raw;
}

}  // namespace ordered_gnn::data
