#include "ordered_gnn/data/splits.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "core/affixes.h"
#include "core/io/text/text.h"
#include "data/formats/parse_value.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn {
namespace {

constexpr std::string_view kRandom = "random:";
constexpr std::string_view kStratified = "stratified:";
constexpr int64_t kMaxSplits = 10000;

// Shares are written with a few decimals: their sum is meant to be exact.
constexpr double kSumTolerance = 1e-9;

[[noreturn]] void fail_split_set(const std::string& text,
                                 const std::string& why) {
  throw UsageError(fmt::format(
      "--split-set '{}': {}; expected random:TRAIN/VAL/TEST or "
      "stratified:TRAIN/VAL/TEST, shares that add up to 100 (per cent) or to 1 "
      "(fractions), TEST may be 0, then xCOUNT if not 10, for example "
      "random:48/32/20 or stratified:0.6/0.2/0.2x5",
      text, why));
}

// Labelled nodes of every class, or all of them in one group.
std::vector<std::vector<int64_t>> groups_of(const at::Tensor& labels,
                                            bool stratified) {
  const at::Tensor flat = labels.contiguous();
  const int64_t* const label = flat.data_ptr<int64_t>();
  std::vector<std::vector<int64_t>> groups(1);
  for (int64_t v = 0; v < flat.size(0); ++v) {
    if (label[v] < 0) continue;
    const size_t group = stratified ? static_cast<size_t>(label[v]) : 0;
    if (group >= groups.size()) groups.resize(group + 1);
    groups[group].push_back(v);
  }
  return groups;
}

void shuffle(std::vector<int64_t>& nodes, RandomStream& random) {
  for (size_t i = nodes.size(); i > 1; --i) {
    std::swap(nodes[i - 1], nodes[random.below(i)]);
  }
}

at::Tensor nodes_with_mark(const std::vector<uint8_t>& marks, uint8_t mark,
                           int64_t count) {
  at::Tensor nodes = at::empty({count}, at::kLong);
  int64_t* out = nodes.data_ptr<int64_t>();
  for (size_t v = 0; v < marks.size(); ++v) {
    if (marks[v] == mark) *out++ = static_cast<int64_t>(v);
  }
  return nodes;
}

// Cuts are rounded on the running total over all groups, so that the parts
// have the asked sizes overall although no group divides evenly. Nodes are
// marked rather than collected: that sorts the parts in linear time.
Split draw_split(std::vector<std::vector<int64_t>> groups, int64_t num_nodes,
                 const RandomSplitOptions& options, RandomStream random) {
  const std::array<double, 3> shares = {options.train, options.val,
                                        options.test};
  std::array<double, 3> wanted = {0, 0, 0};
  std::array<int64_t, 3> sizes = {0, 0, 0};
  std::vector<uint8_t> marks(num_nodes, 0);
  for (std::vector<int64_t>& group : groups) {
    shuffle(group, random);
    const int64_t group_size = static_cast<int64_t>(group.size());
    int64_t taken = 0;
    for (size_t p = 0; p < sizes.size(); ++p) {
      wanted[p] += shares[p] * static_cast<double>(group_size);
      const int64_t missing = std::llround(wanted[p]) - sizes[p];
      const int64_t take = std::clamp<int64_t>(missing, 0, group_size - taken);
      for (int64_t i = taken; i < taken + take; ++i) {
        marks[group[i]] = static_cast<uint8_t>(p + 1);
      }
      sizes[p] += take;
      taken += take;
    }
  }
  return {nodes_with_mark(marks, 1, sizes[0]),
          nodes_with_mark(marks, 2, sizes[1]),
          nodes_with_mark(marks, 3, sizes[2])};
}

int64_t parse_split_index(std::string_view text, const std::string& list,
                          int64_t num_splits) {
  const std::optional<int64_t> index = data::parse_value<int64_t>(text);
  if (!index || *index < 0) {
    throw UsageError(
        fmt::format("splits '{}': expected 'all' or a list such as 0,3,5-7, "
                    "got '{}'",
                    list, text));
  }
  if (*index >= num_splits) {
    throw UsageError(fmt::format(
        "splits '{}': split {} does not exist; the dataset has {}, 0 to {}; "
        "--split-set stratified:60/20/20x{} draws as many as that takes",
        list, *index, num_splits, num_splits - 1,
        std::min(*index, kMaxSplits - 1) + 1));
  }
  return *index;
}

// What the shares are parts of: 100 or 1.
double whole_of(const std::array<double, 3>& shares, const std::string& text) {
  const double sum = shares[0] + shares[1] + shares[2];
  for (const double whole : {1.0, 100.0}) {
    if (std::fabs(sum - whole) <= kSumTolerance * whole) return whole;
  }
  fail_split_set(text, fmt::format("the shares add up to {:g}", sum));
}

// TRAIN/VAL/TEST
void set_shares(std::string_view list, const std::string& text,
                RandomSplitOptions& options) {
  const std::vector<std::string_view> fields = core::split_fields(list, '/');
  if (fields.size() != 3) fail_split_set(text, "three shares are needed");
  std::array<double, 3> shares{};
  for (size_t p = 0; p < 3; ++p) {
    const std::optional<double> share = data::parse_value<double>(fields[p]);
    const bool may_be_zero = p == 2;
    if (!share || !(*share >= 0) || *share > 100 ||
        (*share == 0 && !may_be_zero)) {
      fail_split_set(
          text, fmt::format("'{}' is no share {} 0 and at most 100", fields[p],
                            may_be_zero ? "of at least" : "above"));
    }
    shares[p] = *share;
  }
  const double whole = whole_of(shares, text);
  options.train = shares[0] / whole;
  options.val = shares[1] / whole;
  options.test = shares[2] / whole;
}

}  // namespace

bool is_random_split_set(const std::string& text) {
  return core::starts_with(text, kRandom) ||
         core::starts_with(text, kStratified);
}

RandomSplitOptions parse_random_splits(const std::string& text) {
  if (!is_random_split_set(text)) fail_split_set(text, "unknown kind");
  RandomSplitOptions options;
  std::string_view rest = text;
  options.stratified = core::take_prefix(rest, kStratified);
  core::take_prefix(rest, kRandom);
  const size_t times = rest.find('x');
  if (times != std::string_view::npos) {
    const auto count = data::parse_value<int64_t>(rest.substr(times + 1));
    if (!count || *count < 1 || *count > kMaxSplits) {
      fail_split_set(text, fmt::format("COUNT must be 1 to {}", kMaxSplits));
    }
    options.count = *count;
    rest = rest.substr(0, times);
  }
  set_shares(rest, text, options);
  return options;
}

std::vector<Split> random_splits(const at::Tensor& labels,
                                 const RandomSplitOptions& options) {
  const std::vector<std::vector<int64_t>> groups =
      groups_of(labels, options.stratified);
  std::vector<Split> splits;
  for (int64_t k = 0; k < options.count; ++k) {
    const RandomStream random(options.seed, static_cast<uint64_t>(k));
    const Split split = draw_split(groups, labels.size(0), options, random);
    const bool lacks_test = split.test.size(0) == 0 && options.test > 0;
    if (split.train.size(0) == 0 || split.val.size(0) == 0 || lacks_test) {
      fail(
          "too few labelled nodes for a random split: train, val and test get "
          "{}, {} and {}; each needs at least one",
          split.train.size(0), split.val.size(0), split.test.size(0));
    }
    splits.push_back(split);
  }
  return splits;
}

std::vector<int64_t> parse_split_list(const std::string& text,
                                      int64_t num_splits) {
  if (num_splits == 0) {
    throw UsageError(
        "the dataset has no splits; --split-set stratified:60/20/20 draws "
        "some of its labelled nodes");
  }
  std::vector<int64_t> indices;
  if (text == "all") {
    for (int64_t k = 0; k < num_splits; ++k) indices.push_back(k);
    return indices;
  }
  std::set<int64_t> seen;
  for (const std::string_view place : core::split_fields(text, ',')) {
    const std::string_view field = core::trimmed(place);
    const size_t dash = field.find('-');
    const bool is_range = dash != std::string_view::npos;
    const int64_t first =
        parse_split_index(field.substr(0, dash), text, num_splits);
    const int64_t last =
        is_range ? parse_split_index(field.substr(dash + 1), text, num_splits)
                 : first;
    if (last < first) {
      throw UsageError(fmt::format("splits '{}': the range '{}' runs backwards",
                                   text, field));
    }
    for (int64_t k = first; k <= last; ++k) {
      if (!seen.insert(k).second) {
        throw UsageError(
            fmt::format("splits '{}': split {} is given twice", text, k));
      }
      indices.push_back(k);
    }
  }
  return indices;
}

}  // namespace ordered_gnn
