#include <algorithm>

#include "core/saturated_count.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn {
namespace {

constexpr double kFloatBytes = 4;
constexpr double kIndexBytes = 8;
// Of a process that works: stacks of threads, their scratch memory, pages of
// code that are read for the first time.
constexpr double kOfTheProcess = 24e6;

double state_bytes(const ModelOptions& options, const PassSize& size) {
  return kFloatBytes * static_cast<double>(size.num_nodes) *
         static_cast<double>(options.hidden);
}

double score_bytes(const PassSize& size) {
  return kFloatBytes * static_cast<double>(size.num_nodes) *
         static_cast<double>(size.num_classes);
}

MemoryRange range_of(double least, double most) {
  return {core::saturated_count(least),
          core::saturated_count(std::max(least, most))};
}

// Lists that are sorted the other way once they are asked for.
double transposed_bytes(const PassSize& size) {
  return (kFloatBytes + kIndexBytes) * static_cast<double>(size.num_edges) +
         3 * kIndexBytes * static_cast<double>(size.num_nodes) +
         (kFloatBytes + kFloatBytes) * static_cast<double>(size.sparse_values) +
         kIndexBytes * static_cast<double>(size.num_features);
}

}  // namespace

MemoryRange prediction_bytes(const ModelEntry& model,
                             const ModelOptions& options,
                             const PassSize& size) {
  const PassRows rows = model.prediction_rows(options, size);
  const double state = state_bytes(options, size);
  const double scores = score_bytes(size);
  const auto nodes = static_cast<double>(size.num_nodes);
  // Logits, probabilities, labels; four numbers of norms per row.
  return range_of(
      rows.least * state + scores,
      rows.most * state + (2 + rows.class_rows) * scores +
          (kIndexBytes + 4 * kFloatBytes) * nodes +
          rows.edge_values * kFloatBytes * static_cast<double>(size.num_edges) +
          kOfTheProcess);
}

MemoryRange training_bytes(const ModelEntry& model, const ModelOptions& options,
                           const PassSize& size) {
  const PassRows rows = model.training_rows(options, size);
  const double state = state_bytes(options, size);
  const double scores = score_bytes(size);
  const double dropped =
      rows.drops_features ? kFloatBytes * static_cast<double>(size.dense_values)
                          : 0;
  // A parameter, its gradient and two moments; the best ones, and copies for a
  // checkpoint.
  const double least =
      rows.least * state + scores + dropped + 4 * kFloatBytes * rows.parameters;
  const double most =
      rows.most * state + (4 + rows.class_rows) * scores + dropped +
      8 * kFloatBytes * rows.parameters +
      rows.edge_values * kFloatBytes * static_cast<double>(size.num_edges) +
      transposed_bytes(size) + kOfTheProcess;
  return range_of(least, most);
}

}  // namespace ordered_gnn
