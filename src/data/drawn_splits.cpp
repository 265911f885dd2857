#include "data/drawn_splits.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "core/affixes.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/splits.h"

namespace ordered_gnn::data {
namespace {

constexpr const char* kMissingNote = "there are no splits in the data: ";
constexpr const char* kUntrainedNote = "there is no training node of ";
constexpr size_t kMostClassesNamed = 12;

std::string class_name(const RawDataset& raw, int64_t label) {
  return raw.class_names.empty()
             ? fmt::format("class {}", label)
             : fmt::format("'{}'", raw.class_names[static_cast<size_t>(label)]);
}

// Labelled nodes of every class, among `nodes` where these are given.
std::vector<int64_t> class_counts(const RawDataset& raw,
                                  const at::Tensor& nodes = {}) {
  at::Tensor labels =
      nodes.defined() ? raw.labels.index_select(0, nodes) : raw.labels;
  labels = labels.masked_select(labels.ge(0)).contiguous();
  std::vector<int64_t> counts(static_cast<size_t>(raw.num_classes));
  const int64_t* const label = labels.data_ptr<int64_t>();
  for (int64_t i = 0; i < labels.numel(); ++i) {
    ++counts[static_cast<size_t>(label[i])];
  }
  return counts;
}

// "'stay' 3, 'churn' 1 and 5 classes more".
std::string counts_text(const RawDataset& raw,
                        const std::vector<int64_t>& counts) {
  std::vector<std::string> words;
  for (size_t c = 0; c < std::min(kMostClassesNamed, counts.size()); ++c) {
    words.push_back(fmt::format(
        "{} {}", class_name(raw, static_cast<int64_t>(c)), counts[c]));
  }
  const size_t more = counts.size() - words.size();
  return fmt::format(
      "{}{}", fmt::join(words, ", "),
      more == 0 ? "" : fmt::format(" and {} classes more", more));
}

[[noreturn]] void fail_too_few(const RawDataset& raw, const std::string& form,
                               const std::string& why) {
  const std::vector<int64_t> counts = class_counts(raw);
  int64_t labelled = 0;
  for (const int64_t count : counts) labelled += count;
  if (labelled == 0) {
    fail(
        "no node of '{}' has a label, so no split can be drawn; training needs "
        "labels",
        raw.name);
  }
  fail(
      "'{}' has {} labelled nodes, which {} does not go with: {}. Labelled "
      "nodes of every class: {}. Label more nodes, or choose other shares with "
      "--split-set, for example stratified:50/50/0, which has no test part",
      raw.name, labelled, form, why, counts_text(raw, counts));
}

// A class that is never trained on is never learnt.
void note_untrained_classes(RawDataset& raw) {
  const std::vector<int64_t> all = class_counts(raw);
  for (size_t k = 0; k < raw.splits.size(); ++k) {
    const std::vector<int64_t> trained = class_counts(raw, raw.splits[k].train);
    std::vector<std::string> names;
    for (size_t c = 0; c < all.size(); ++c) {
      if (all[c] == 0 || trained[c] > 0) continue;
      names.push_back(class_name(raw, static_cast<int64_t>(c)));
      if (names.size() == kMostClassesNamed) break;
    }
    if (names.empty()) continue;
    raw.provenance.notes.push_back(
        fmt::format("{}{} in split {}: too few of them are labelled",
                    kUntrainedNote, core::listed(names), k));
    return;
  }
}

}  // namespace

std::string default_split_form(int64_t count) {
  return fmt::format("stratified:60/20/20x{}", count);
}

void draw_splits(const std::string& form, uint64_t seed, RawDataset& raw) {
  RandomSplitOptions wanted = parse_random_splits(form);
  wanted.seed = seed;
  try {
    raw.splits = random_splits(raw.labels, wanted);
  } catch (const Error& error) {
    fail_too_few(raw, form, error.what());
  }
  raw.split_set = fmt::format("{} seed {}", form, seed);
  note_untrained_classes(raw);
}

std::string draw_missing_splits(uint64_t seed, RawDataset& raw) {
  std::string form = default_split_form(1);
  draw_splits(form, seed, raw);
  const Split& split = raw.splits.front();
  raw.provenance.notes.push_back(fmt::format(
      "{}drew {} of the labelled nodes with seed {} ({} train, {} val, {} "
      "test); --split-set chooses otherwise",
      kMissingNote, form, seed, split.train.numel(), split.val.numel(),
      split.test.numel()));
  return form;
}

std::vector<std::string> drawn_split_notes(const NodeDataset& data) {
  std::vector<std::string> notes;
  for (const std::string& note : data.provenance.notes) {
    if (core::starts_with(note, kMissingNote) ||
        core::starts_with(note, kUntrainedNote)) {
      notes.push_back(note);
    }
  }
  return notes;
}

}  // namespace ordered_gnn::data
