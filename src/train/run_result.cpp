#include "ordered_gnn/train/run_result.h"

#include "core/io/json_numbers.h"

namespace ordered_gnn {

Json to_json(const RunResult& result) {
  const Json train = to_json(result.train), val = to_json(result.val),
             test = to_json(result.test);
  Json json = {{"split", result.split},
               {"seed", result.seed},
               {"epochs", result.epochs},
               {"best_epoch", result.best_epoch},
               {"train_accuracy", train.at("accuracy")},
               {"val_accuracy", val.at("accuracy")},
               {"test_accuracy", test.at("accuracy")},
               {"train", train},
               {"val", val},
               {"test", test},
               {"seconds", result.seconds},
               {"seconds_per_epoch",
                result.seconds / static_cast<double>(result.epochs)},
               {"peak_bytes", result.peak_bytes},
               {"num_parameters", result.num_parameters},
               {"checkpoint", result.checkpoint}};
  if (const auto& before = result.before_correct_smooth) {
    json["before_correct_smooth"] = {{"train", to_json(before->train)},
                                     {"val", to_json(before->val)},
                                     {"test", to_json(before->test)}};
  }
  return json;
}

RunResult run_result_from_json(const Json& json) {
  using core::whole_number;
  RunResult result;
  result.split = whole_number(json, "split");
  result.seed = whole_number(json, "seed");
  result.epochs = whole_number(json, "epochs");
  result.best_epoch = whole_number(json, "best_epoch", 0, result.epochs);
  result.train = scores_from_json(json.at("train"));
  result.val = scores_from_json(json.at("val"));
  result.test = scores_from_json(json.at("test"));
  if (const auto before = json.find("before_correct_smooth");
      before != json.end()) {
    result.before_correct_smooth = {scores_from_json(before->at("train")),
                                    scores_from_json(before->at("val")),
                                    scores_from_json(before->at("test"))};
  }
  result.seconds = core::real_number(json, "seconds", 0);
  result.peak_bytes = whole_number(json, "peak_bytes");
  result.num_parameters = whole_number(json, "num_parameters");
  result.checkpoint = json.at("checkpoint").get<std::string>();
  return result;
}

}  // namespace ordered_gnn
