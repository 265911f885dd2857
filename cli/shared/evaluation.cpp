#include "shared/evaluation.h"

#include <ATen/ATen.h>

#include <cmath>

#include "core/io/json_numbers.h"

namespace ordered_gnn::cli {
namespace {

template <typename T>
std::vector<T> values_of(const at::Tensor& tensor) {
  const at::Tensor flat = tensor.contiguous();
  const T* const value = flat.data_ptr<T>();
  return std::vector<T>(value, value + flat.numel());
}

// What is asked of every part, made once.
struct Judgement {
  at::Tensor logits, probabilities;
  std::vector<int64_t> labels, predicted;
  std::vector<float> confidence;
};

Judgement judge(const at::Tensor& logits, const at::Tensor& probabilities,
                const at::Tensor& labels, const at::Tensor& predicted) {
  const at::Tensor confidence =
      probabilities.gather(1, predicted.unsqueeze(1)).squeeze(1);
  return {logits, probabilities, values_of<int64_t>(labels),
          values_of<int64_t>(predicted),
          values_of<float>(confidence.to(at::kFloat))};
}

PartScores scored(const NamedNodes& part, const Judgement& judgement) {
  return score_part(part.name, values_of<int64_t>(part.nodes), judgement.labels,
                    judgement.predicted, judgement.confidence,
                    judgement.logits.size(1));
}

Json classes_json(const PartScores& part,
                  const std::vector<std::string>& classes) {
  Json out = Json::array();
  for (size_t c = 0; c < part.classes.size(); ++c) {
    const ClassScores& one = part.classes[c];
    out.push_back({{"class", classes[c]},
                   {"support", one.support},
                   {"predicted", one.predicted},
                   {"hits", one.hits},
                   {"precision", core::number_or_null(one.precision)},
                   {"recall", core::number_or_null(one.recall)},
                   {"f1", core::number_or_null(one.f1)}});
  }
  return out;
}

// Rows of counts; null for more classes than kMostConfusionClasses.
Json confusion_json(const PartScores& part, size_t num_classes) {
  if (part.confusion.empty()) return nullptr;
  Json out = Json::array();
  for (size_t r = 0; r < num_classes; ++r) {
    const auto first =
        part.confusion.begin() + static_cast<int64_t>(r * num_classes);
    out.push_back(
        std::vector<int64_t>(first, first + static_cast<int64_t>(num_classes)));
  }
  return out;
}

Json bins_json(const PartScores& part) {
  Json out = Json::array();
  for (const CalibrationBin& bin : part.calibration) {
    out.push_back({{"low", bin.low},
                   {"high", bin.high},
                   {"nodes", bin.nodes},
                   {"confidence", core::number_or_null(bin.confidence)},
                   {"accuracy", core::number_or_null(bin.accuracy)}});
  }
  return out;
}

}  // namespace

std::vector<EvaluatedPart> evaluate_parts(
    const Prediction& prediction, const at::Tensor& labels,
    const std::vector<NamedNodes>& parts,
    const std::optional<Temperature>& temperature) {
  const bool is_scaled = temperature && temperature->is_fitted;
  const Judgement plain = judge(prediction.logits, prediction.probabilities,
                                labels, prediction.labels);
  Judgement used = plain;
  if (is_scaled) {
    // In double precision no two logits become equal.
    const at::Tensor logits =
        prediction.logits.to(at::kDouble).div(temperature->value);
    used = judge(logits, logits.softmax(1), labels, prediction.labels);
  }
  std::vector<EvaluatedPart> out;
  for (const NamedNodes& part : parts) {
    EvaluatedPart one;
    one.name = part.name;
    one.scores = score_nodes(used.logits, labels, part.nodes);
    one.loss = labelled_loss(used.logits, labels, part.nodes);
    one.brier = brier_score(used.probabilities, labels, part.nodes);
    one.details = scored(part, used);
    if (temperature) {
      one.error_before = scored(part, plain).calibration_error;
    }
    out.push_back(std::move(one));
  }
  return out;
}

Json to_json(const EvaluatedPart& part,
             const std::vector<std::string>& classes) {
  const PartScores& details = part.details;
  Json out = to_json(part.scores);
  out["nodes"] = details.nodes;
  out["labelled"] = details.labelled;
  out["loss"] = core::number_or_null(part.loss);
  out["brier"] = core::number_or_null(part.brier);
  out["mean_confidence"] = core::number_or_null(details.mean_confidence);
  out["calibration_error"] = core::number_or_null(details.calibration_error);
  if (part.error_before) {
    out["calibration_error_before"] = core::number_or_null(*part.error_before);
  }
  out["classes"] = classes_json(details, classes);
  out["confusion"] = confusion_json(details, classes.size());
  out["calibration"] = bins_json(details);
  return out;
}

}  // namespace ordered_gnn::cli
