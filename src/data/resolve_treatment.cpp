#include <algorithm>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {
namespace {

bool has_negative_feature(const NodeFeatures& features) {
  const bool dense = features.kind() == NodeFeatures::Kind::dense;
  const at::Tensor& values =
      dense ? features.dense_values() : features.rows().value;
  const float* const data = values.data_ptr<float>();
  return std::any_of(data, data + values.numel(),
                     [](float value) { return value < 0; });
}

}  // namespace

Treatment resolve_treatment(const TreatmentChoice& choice,
                            const RawDataset& raw) {
  Treatment treatment = raw.recommended.value_or(Treatment{});
  treatment.direction = choice.direction.value_or(treatment.direction);
  treatment.self_loops = choice.self_loops.value_or(treatment.self_loops);
  treatment.edge_weights = choice.edge_weights;
  if (choice.features) {
    treatment.features = *choice.features;
  } else if (!raw.recommended &&
             (raw.table || has_negative_feature(raw.features))) {
    treatment.features = Treatment::Features::raw;
  }
  return treatment;
}

}  // namespace ordered_gnn
