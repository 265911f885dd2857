#include "ordered_gnn/train/ensemble.h"

#include <torch/types.h>

#include <limits>

#include "ordered_gnn/core/error.h"
#include "train/class_match.h"

namespace ordered_gnn {
namespace {

// "--direction as_stored --self-loops add --features raw --edge-weights use".
std::string reading_of(const Trained& trained) {
  const TreatmentChoice how = data_for(trained).treatment;
  const auto text = [](const auto& choice) {
    return choice ? to_string(*choice) : std::string("auto");
  };
  return fmt::format(
      "--direction {} --self-loops {} --features {} --edge-weights {}",
      text(how.direction), text(how.self_loops), text(how.features),
      to_string(how.edge_weights));
}

void check_member(const EnsembleMember& member) {
  if (!member.options.embeddings && !member.options.gates) return;
  throw UsageError(
      "embeddings and gates are those of one model; ask the models of an "
      "ensemble one by one");
}

}  // namespace

Prediction predict_together(const std::vector<EnsembleMember>& members,
                            const NodeDataset& data) {
  if (members.empty()) throw UsageError("an ensemble needs a model");
  at::Tensor sum;
  for (const EnsembleMember& member : members) {
    check_member(member);
    require_together(members.front().trained, member.trained);
    const at::Tensor share = predict(member.trained, data, member.options)
                                 .logits.to(at::kDouble)
                                 .softmax(1);
    sum = sum.defined() ? sum + share : share;
  }
  const at::Tensor mean = sum / static_cast<double>(members.size());
  Prediction out;
  out.probabilities = mean.to(at::kFloat);
  out.logits =
      mean.clamp_min(std::numeric_limits<float>::min()).log().to(at::kFloat);
  out.labels = out.logits.argmax(1);
  return out;
}

void require_together(const Trained& first, const Trained& other,
                      const std::filesystem::path& where) {
  if (first.shape.num_classes != other.shape.num_classes ||
      !training::same_classes(first.class_names, other.class_names)) {
    fail_in(
        where,
        fmt::format(
            "has the classes {}, the first model {}; only models "
            "of the same classes answer together",
            training::class_list(other.class_names, other.shape.num_classes),
            training::class_list(first.class_names, first.shape.num_classes)));
  }
  if (first.shape.num_features != other.shape.num_features) {
    fail_in(where,
            fmt::format("was trained on {} features, the first model on "
                        "{}; only models of the same data answer "
                        "together",
                        other.shape.num_features, first.shape.num_features));
  }
  if (reading_of(first) != reading_of(other)) {
    fail_in(where, fmt::format("reads its data as {}, the first model as {}; "
                               "only models that read it alike answer together",
                               reading_of(other), reading_of(first)));
  }
}

}  // namespace ordered_gnn
