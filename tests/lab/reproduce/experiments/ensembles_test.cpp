// Models of several seeds that answer together, held against what they say one
// by one.
#include <torch/types.h>

#include <cmath>

#include "lab/reproduce/cells.h"
#include "lab/reproduce/support.h"
#include "ordered_gnn/train/metrics.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn::lab {
namespace {

class Ensembles : public ReproductionTest {
 protected:
  Ensembles() {
    recipe("tuned/tiny", tiny(3));
    options_.seeds = {1, 2, 4};
  }

  // Test accuracy of the mean of softmaxes, in double, of models one by one.
  double by_hand(int64_t split) {
    const ExperimentPlan plan = plan_experiment("ensembles", options_);
    DatasetCache datasets;
    const ReadyCell ready = make_ready(plan.cells.at(1), batch_, datasets);
    RunOptions options = ready.runs.at(0).options;
    const NodeDataset& data = datasets.get(options);
    at::Tensor sum;
    for (size_t i = 0; i < ready.runs.size(); ++i) {
      if (ready.runs[i].split != split) continue;
      const Trained trained =
          load_trained(model_folder(dir_ / "out/ensembles/models", ready, i) /
                       "model.safetensors");
      const at::Tensor one =
          predict(trained, data).logits.to(torch::kDouble).softmax(1);
      sum = sum.defined() ? sum + one : one;
    }
    const at::Tensor test = data.splits[static_cast<size_t>(split)].test;
    return 100 * accuracy(sum.argmax(1).index_select(0, test),
                          data.labels.index_select(0, test));
  }
};

TEST_F(Ensembles, ScoreTheMeanOfWhatTheirModelsSay) {
  const ExperimentResult result = run("ensembles");
  EXPECT_EQ(trained_, 9);
  ASSERT_EQ(result.cells.size(), 2u);
  const CellResult &alone = result.cells[0], &together = result.cells[1];
  EXPECT_EQ(alone.row, "Ordered GNN");
  EXPECT_EQ(alone.runs.size(), 9u);
  EXPECT_EQ(together.row, "Ordered GNN, together");
  EXPECT_EQ(together.against, "Ordered GNN");
  EXPECT_EQ(together.parameters, 3 * alone.parameters);
  ASSERT_EQ(together.runs.size(), 3u) << together.reason;
  for (const CellRun& run : together.runs) {
    EXPECT_NEAR(run.score, by_hand(run.split), 1e-9) << run.split;
    EXPECT_EQ(run.epochs, 18) << "of three models";
  }
  // Pairs are splits, each with the mean of its models.
  const Statistics difference =
      paired_comparisons(result).at(0).paired.difference;
  EXPECT_EQ(difference.count, 3);
  EXPECT_NEAR(difference.mean, describe(together).mean - describe(alone).mean,
              1e-9);
  const CellComparison read =
      paired_comparisons(experiment_result_from_json(to_json(result))).at(0);
  EXPECT_DOUBLE_EQ(read.paired.difference.mean, difference.mean);
}

TEST_F(Ensembles, OfOneModelIsThatModel) {
  options_.seeds = {7};
  const ExperimentResult result = run("ensembles");
  ASSERT_EQ(result.cells.at(1).runs.size(), 3u) << result.cells[1].reason;
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_DOUBLE_EQ(result.cells[1].runs[i].score,
                     result.cells[0].runs[i].score);
    EXPECT_DOUBLE_EQ(result.cells[1].runs[i].validation,
                     result.cells[0].runs[i].validation);
  }
}

TEST_F(Ensembles, AreMadeAgainOfModelsThatAreThere) {
  const ExperimentResult before = run("ensembles");
  const ExperimentResult again = run("ensembles");
  EXPECT_EQ(trained_, 0);
  EXPECT_EQ(to_json(again).at("cells"), to_json(before).at("cells"));
}

TEST_F(Ensembles, SayHowToGoOnWithoutAModel) {
  run("ensembles");
  for (const auto& entry :
       std::filesystem::directory_iterator(dir_ / "out/ensembles/models")) {
    std::filesystem::remove(entry.path() / "model.safetensors");
    break;
  }
  const ExperimentResult result = run("ensembles");
  EXPECT_EQ(result.cells.at(0).status, CellStatus::done);
  EXPECT_EQ(result.cells.at(1).status, CellStatus::failed);
  EXPECT_TRUE(contains(result.cells[1].reason, "model.safetensors"));
  EXPECT_TRUE(contains(result.cells[1].reason, "to train it again"));
}

TEST_F(Ensembles, HaveFiveModelsUnlessAskedForOthers) {
  options_.seeds.clear();
  for (const PlannedCell& cell : plan_experiment("ensembles", options_).cells) {
    EXPECT_EQ(cell.seeds_of_many, 5) << cell.row;
  }
  options_.models = {"ordered_gnn", "gcn"};
  EXPECT_EQ(plan_experiment("ensembles", options_).cells.size(), 4u);
  options_.alone = true;
  for (const PlannedCell& cell : plan_experiment("ensembles", options_).cells) {
    EXPECT_TRUE(contains(cell.row, ", together"));
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
