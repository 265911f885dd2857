#include "lab/bench/drawn_rank.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "core/io/text/text.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kMessagesPerHaloRow = 2;
constexpr double kFromOtherParts = 0.1;
constexpr double kMostFeatureValues = 1e15;

// Streams of the one seed that a drawn rank has.
enum class Lot : uint64_t { others, own, nodes };
RandomStream lots(Lot lot, int64_t number) {
  return RandomStream(static_cast<uint64_t>(number),
                      1 + static_cast<uint64_t>(lot));
}

int64_t rounded(double value) { return std::llround(value); }

// A number below the bound.
int64_t draw_below(RandomStream& random, int64_t bound) {
  return static_cast<int64_t>(random.below(static_cast<uint64_t>(bound)));
}

// `count` different numbers of [begin, begin + size), rising.
std::vector<int64_t> spread_numbers(int64_t begin, int64_t size, int64_t count,
                                    RandomStream& random) {
  std::vector<int64_t> numbers(count);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t low = size * i / count, high = size * (i + 1) / count;
    numbers[i] = begin + low + draw_below(random, high - low);
  }
  return numbers;
}

std::vector<int64_t> even_bounds(int64_t nodes, int64_t parts) {
  std::vector<int64_t> bounds;
  for (int64_t p = 0; p <= parts; ++p) bounds.push_back(nodes * p / parts);
  return bounds;
}

[[noreturn]] void refuse_shape(const std::string& text) {
  std::vector<std::string> names;
  for (const RankedShape& shape : ranked_shapes()) names.push_back(shape.name);
  throw UsageError(fmt::format(
      "--shape takes one of {}, or nodes,edges,features,classes in whole "
      "positive numbers, not '{}'",
      fmt::join(names, ", "), text));
}

}  // namespace

const std::vector<RankedShape>& ranked_shapes() {
  // name, nodes, messages, features, density, classes, trained, scored, halo
  static const std::vector<RankedShape> shapes = {
      {"pubmed", 19717, 88648, 500, 0.1002, 3, 0.48, 1, 0.5},
      {"ogbn-arxiv", 169343, 2315598, 128, 1, 40, 0.537, 1, 1},
      {"ogbn-products", 2449029, 123718280, 100, 1, 47, 0.0803, 1, 1},
      {"ogbn-papers100M", 111059956, 3231371744, 128, 1, 172, 0.01087, 0.01393,
       2},
  };
  return shapes;
}

RankedShape find_ranked_shape(const std::string& text) {
  for (const RankedShape& shape : ranked_shapes()) {
    if (shape.name == text || shape.name == "ogbn-" + text) return shape;
  }
  std::vector<int64_t> numbers;
  for (const std::string_view field : core::split_fields(text, ',')) {
    const std::string word(core::trimmed(field));
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    const bool good = end != word.c_str() && *end == '\0' && value > 0 &&
                      value < 1e12 && value == std::floor(value);
    if (!good) refuse_shape(text);
    numbers.push_back(static_cast<int64_t>(value));
  }
  if (numbers.size() != 4) refuse_shape(text);
  // Bytes of a rank are counted in 64 bits.
  if (static_cast<double>(numbers[0]) * static_cast<double>(numbers[2]) >
      kMostFeatureValues) {
    throw UsageError(fmt::format(
        "--shape {}: {} nodes of {} features are more than a rank can be "
        "modelled of; give fewer",
        text, numbers[0], numbers[2]));
  }
  RankedShape shape;
  shape.name = text;
  shape.nodes = numbers[0];
  shape.messages = 2 * numbers[1];
  shape.features = numbers[2];
  shape.classes = std::max<int64_t>(numbers[3], 2);
  shape.trained = 0.48;
  return shape;
}

DrawnRank::DrawnRank(const RankedShape& shape, const DrawnRankOptions& options)
    : shape_(shape), options_(options) {
  scale::require_part_count(options.parts);
  const int64_t nodes = shape.nodes / options.scale;
  if (nodes < options.parts || options.parts < options.ranks) {
    throw UsageError(fmt::format(
        "{} nodes in {} parts on {} ranks: every part needs a node, and every "
        "rank a part; give fewer --parts or --ranks, or a smaller --scale",
        nodes, options.parts, options.ranks));
  }
  manifest_.name = shape.name;
  manifest_.num_nodes = nodes;
  manifest_.num_edges = shape.messages / options.scale + nodes;
  manifest_.num_features = shape.features;
  manifest_.num_classes = shape.classes;
  manifest_.sparse_features = shape.density < 1;
  manifest_.feature_values =
      nodes * rounded(shape.density * static_cast<double>(shape.features));
  manifest_.num_splits = 1;
  manifest_.method = "drawn";
  manifest_.bounds = even_bounds(nodes, options.parts);
  bounds_ = scale::rank_bounds(manifest_.bounds, options.ranks);
  const Ids own = ids_of(options.rank);
  const int64_t halo =
      rounded(shape.halo_ratio * static_cast<double>(own.count()));
  if (halo > nodes - own.count()) {
    throw UsageError(fmt::format(
        "--halo-ratio {}: a rank of {} nodes would hear {} of other ranks, "
        "which have {}; give less",
        shape.halo_ratio, own.count(), halo, nodes - own.count()));
  }
  scale::PartSize size;
  size.in_edges = size.out_edges = manifest_.num_edges / options.parts;
  size.in_halo = size.out_halo =
      std::max<int64_t>(1, halo * options.ranks / options.parts);
  manifest_.parts.assign(options.parts, size);
  halo_.in = halo_.out = halo * options.ranks;
  // A row is sent to the last layer where one of its receivers is trained.
  const double heard = 1 - std::pow(1 - shape.trained, kMessagesPerHaloRow);
  halo_.last_in = rounded(heard * static_cast<double>(halo_.in));
  halo_.last_out = rounded(shape.trained * static_cast<double>(halo_.out));
}

DrawnRank::Ids DrawnRank::ids_of(int64_t rank) const {
  return {manifest_.bounds[bounds_[rank]], manifest_.bounds[bounds_[rank + 1]]};
}

int64_t DrawnRank::list_bytes() const {
  return manifest_.num_edges / options_.ranks *
         static_cast<int64_t>(sizeof(messages_[0]));
}

void DrawnRank::add_pair(int64_t receiver, int64_t sender) {
  messages_.emplace_back(
      static_cast<int32_t>(receiver - ids_of(options_.rank).begin),
      static_cast<int32_t>(sender));
}

// As many nodes of this rank know each other rank as it has known nodes there.
void DrawnRank::add_messages_of_others() {
  const Ids own = ids_of(options_.rank);
  const int64_t others = options_.ranks - 1;
  const int64_t halo = halo_.in / options_.ranks;
  int64_t number = 0;
  for (int64_t rank = 0; rank < options_.ranks; ++rank) {
    if (rank == options_.rank) continue;
    const int64_t count = halo * (number + 1) / others - halo * number / others;
    ++number;
    const Ids there = ids_of(rank);
    RandomStream random = lots(Lot::others, rank);
    const std::vector<int64_t> theirs = spread_numbers(
        there.begin, there.count(), std::min(count, there.count()), random);
    const auto known = static_cast<int64_t>(theirs.size());
    const std::vector<int64_t> ours = spread_numbers(
        own.begin, own.count(), std::min(known, own.count()), random);
    for (int64_t i = 0; i < known; ++i) {
      const auto us = static_cast<int64_t>(ours.size());
      add_pair(ours[i % us], theirs[i]);
      for (int more = 1; more < static_cast<int>(kMessagesPerHaloRow); ++more) {
        add_pair(ours[draw_below(random, us)], theirs[i]);
      }
    }
  }
}

// Both ways, among the nodes of a part or, now and then, of the rank.
void DrawnRank::add_own_messages() {
  const Ids own = ids_of(options_.rank);
  const double of_rank = static_cast<double>(manifest_.num_edges) /
                         static_cast<double>(manifest_.num_nodes) *
                         static_cast<double>(own.count());
  const int64_t pairs =
      std::max<int64_t>(0, (rounded(of_rank) - own.count() -
                            static_cast<int64_t>(messages_.size())) /
                               2);
  RandomStream random = lots(Lot::own, options_.rank);
  for (int64_t i = 0; i < pairs; ++i) {
    const int64_t first = own.begin + draw_below(random, own.count());
    const int64_t part = manifest_.part_of(first);
    const bool near = random.uniform() >= kFromOtherParts;
    const Ids from =
        near ? Ids{manifest_.bounds[part], manifest_.bounds[part + 1]} : own;
    const int64_t second = from.begin + draw_below(random, from.count());
    if (first == second) continue;
    add_pair(first, second);
    add_pair(second, first);
  }
  for (int64_t node = own.begin; node < own.end; ++node) add_pair(node, node);
}

bool DrawnRank::can_draw() const {
  return manifest_.num_nodes <= std::numeric_limits<int32_t>::max();
}

void DrawnRank::draw_lists() {
  if (!can_draw()) {
    throw UsageError(
        fmt::format("{} nodes: a graph is drawn of fewer than 2^31; give a "
                    "larger --scale",
                    manifest_.num_nodes));
  }
  messages_.clear();
  add_messages_of_others();
  add_own_messages();
  std::sort(messages_.begin(), messages_.end());
  messages_.erase(std::unique(messages_.begin(), messages_.end()),
                  messages_.end());
}

Adjacency DrawnRank::lists_of(int64_t part) const {
  const int64_t first = ids_of(options_.rank).begin;
  const int64_t rows = manifest_.rows_of(part);
  const auto begin = static_cast<int32_t>(manifest_.bounds[part] - first);
  const at::Tensor rowptr = at::zeros({rows + 1}, at::kLong);
  auto* const ends = rowptr.data_ptr<int64_t>();
  std::vector<int32_t> col;
  for (auto entry = std::lower_bound(messages_.begin(), messages_.end(),
                                     std::make_pair(begin, int32_t{0}));
       entry != messages_.end() && entry->first < begin + rows; ++entry) {
    ++ends[entry->first - begin + 1];
    col.push_back(entry->second);
  }
  for (int64_t v = 0; v < rows; ++v) ends[v + 1] += ends[v];
  return {rowptr, at::tensor(col, at::kInt)};
}

NodeFeatures DrawnRank::features_of(int64_t part) const {
  const int64_t rows = manifest_.rows_of(part), width = shape_.features;
  RandomStream random = lots(Lot::nodes, part);
  if (!manifest_.sparse_features) {
    at::Tensor values = at::empty({rows, width});
    fill_uniform(values, -1, 1, random);
    return NodeFeatures::dense(values);
  }
  const int64_t each = manifest_.feature_values / manifest_.num_nodes;
  SparseRows sparse;
  sparse.rowptr = at::arange(rows + 1, at::kLong).mul(each);
  sparse.col = at::empty({rows * each}, at::kInt);
  for (int64_t row = 0; row < rows; ++row) {
    const std::vector<int64_t> columns = spread_numbers(0, width, each, random);
    std::copy(columns.begin(), columns.end(),
              sparse.col.data_ptr<int32_t>() + row * each);
  }
  sparse.value = at::ones({rows * each});
  return NodeFeatures::sparse(std::move(sparse), width);
}

scale::Part DrawnRank::draw(int64_t part) const {
  scale::Part drawn;
  drawn.index = part;
  drawn.first = manifest_.bounds[part];
  drawn.in = drawn.out = lists_of(part);
  drawn.features = features_of(part);
  const int64_t rows = manifest_.rows_of(part);
  drawn.original = at::arange(drawn.first, drawn.first + rows, at::kLong);
  drawn.labels = drawn.original.remainder(shape_.classes);
  drawn.splits = at::zeros({1, rows}, at::kByte);
  RandomStream random = lots(Lot::nodes, -1 - part);
  auto* const split = drawn.splits.data_ptr<uint8_t>();
  for (int64_t row = 0; row < rows; ++row) {
    const double lot = random.uniform();
    const int mark = lot < shape_.trained ? 1 : lot < shape_.scored ? 3 : 0;
    split[row] = static_cast<uint8_t>(mark);
    if (split[row] == 0) drawn.labels.data_ptr<int64_t>()[row] = -1;
  }
  return drawn;
}

}  // namespace ordered_gnn::lab
