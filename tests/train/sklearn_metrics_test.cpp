// Scores beside those of scikit-learn, where python3 has it.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "core/io/file.h"
#include "ordered_gnn/train/metrics.h"
#include "support/python.h"
#include "support/temp_dir.h"

namespace ordered_gnn::training {
namespace {

// One against the rest by hand for the two ranked ones: scikit-learn's own
// averages refuse classes that are absent.
constexpr const char* kScript = R"(
import json, sys
import numpy as np
from sklearn import metrics as m
cases, out = json.load(open(sys.argv[1])), []
for case in cases:
    x, y = np.array(case["logits"]), np.array(case["labels"])
    p = np.exp(x - x.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    guess, classes = x.argmax(1), range(x.shape[1])
    both = [c for c in classes if 0 < (y == c).sum() < len(y)]
    out.append({
        "accuracy": m.accuracy_score(y, guess),
        "balanced_accuracy": m.recall_score(y, guess, labels=np.unique(y),
                                            average="macro", zero_division=0),
        "macro_f1": m.f1_score(y, guess, average="macro", zero_division=0),
        "roc_auc": np.mean([m.roc_auc_score(y == c, p[:, c]) for c in both]),
        "average_precision": np.mean(
            [m.average_precision_score(y == c, p[:, c]) for c in both]),
        "log_loss": m.log_loss(y, p, labels=list(classes)),
    })
json.dump(out, open(sys.argv[2], "w"))
)";

TEST(SklearnMetrics, AreTheSameNumbers) {
  const std::string python = python_with("sklearn");
  if (python.empty()) GTEST_SKIP() << "python3 has no scikit-learn";
  at::manual_seed(11);
  nlohmann::json cases = nlohmann::json::array();
  std::vector<Scores> ours;
  for (const int64_t classes : {2, 3, 5, 9}) {
    for (const int64_t nodes : {12, 400}) {
      // Few different rows, so that there are ties: of equal rows, which round
      // alike there and here.
      const at::Tensor rows_of =
          torch::randint(0, 1 + nodes / 4, {nodes}, at::kLong);
      const at::Tensor logits =
          torch::randn({1 + nodes / 4, classes}, at::kDouble)
              .index_select(0, rows_of);
      const at::Tensor labels = torch::randint(0, classes, {nodes}, at::kLong);
      ours.push_back(score_nodes(logits, labels, torch::arange(nodes)));
      nlohmann::json rows = nlohmann::json::array();
      for (int64_t i = 0; i < nodes; ++i) {
        const at::Tensor row = logits[i].contiguous();
        rows.push_back(std::vector<double>(row.data_ptr<double>(),
                                           row.data_ptr<double>() + classes));
      }
      const int64_t* const label = labels.data_ptr<int64_t>();
      cases.push_back({{"logits", rows},
                       {"labels", std::vector<int64_t>(label, label + nodes)}});
    }
  }
  const TempDir dir;
  write_text(dir / "script.py", kScript);
  write_text(dir / "cases.json", cases.dump());
  const std::string command = python + " " + (dir / "script.py").string() +
                              " " + (dir / "cases.json").string() + " " +
                              (dir / "out.json").string();
  // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread runs here.
  ASSERT_EQ(std::system(command.c_str()), 0);
  const auto theirs = nlohmann::json::parse(core::read_file(dir / "out.json"));
  ASSERT_EQ(theirs.size(), ours.size());
  for (size_t i = 0; i < ours.size(); ++i) {
    const nlohmann::json mine = to_json(ours[i]);
    for (const auto& [name, value] : theirs[i].items()) {
      EXPECT_NEAR(mine.at(name).get<double>(), value.get<double>(), 1e-9)
          << name << " of case " << i;
    }
  }
}

}  // namespace
}  // namespace ordered_gnn::training
