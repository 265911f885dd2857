// Every option of a run on the GPU: the losses are those of the CPU, and the
// same bits in every run.
#include "cuda/training_support.h"
#include "support/graphs.h"
#include "support/model_cases.h"

namespace ordered_gnn {
namespace {

struct Variant {
  std::string name;
  std::function<void(RunOptions&)> change;
};

class CudaTrainingOptions : public CudaTrainingTest {
 protected:
  void expect_like_the_cpu(const Variant& variant) {
    SCOPED_TRACE(variant.name);
    RunOptions options = options_;
    options.train.epochs = options.train.patience = 10;
    variant.change(options);
    NodeDataset data = load_dataset(options.data);
    if (options.network.directions == Directions::split) {
      data.graph = one_way(data.graph);
    }
    const auto [expected, got] = train_on_both(data, options);
    ASSERT_EQ(got.reports.size(), expected.reports.size());
    for (size_t i = 0; i < got.reports.size(); ++i) {
      EXPECT_EQ(got.reports[i].lr, expected.reports[i].lr);
    }
    EXPECT_NEAR(got.result.train.accuracy, expected.result.train.accuracy, 0.2);
  }

  void expect_like_the_cpu(const std::vector<Variant>& variants) {
    for (const Variant& variant : variants) expect_like_the_cpu(variant);
  }
};

TEST_F(CudaTrainingOptions, OfTraining) {
  expect_like_the_cpu({
      {"as it is", [](RunOptions&) {}},
      {"macro F1", [](RunOptions& o) { o.train.metric = Metric::macro_f1; }},
      {"clipped", [](RunOptions& o) { o.train.clip_norm = 0.5; }},
      {"cosine after a warm-up",
       [](RunOptions& o) {
         o.train.schedule = Schedule::cosine;
         o.train.warmup = 3;
       }},
      {"layers computed again",
       [](RunOptions& o) {
         o.network.layers = 9;
         o.train.checkpoint_layers = true;
       }},
      {"trained input norms",
       [](RunOptions& o) { o.train.input_norm = InputNorm::decay; }},
      {"averaged weights",
       [](RunOptions& o) {
         o.train.average_weights = 0.8;
         o.network.norm = Norm::batch;
       }},
      {"other seed", [](RunOptions& o) { o.train.seed = 7; }},
  });
}

TEST_F(CudaTrainingOptions, OfEveryModelWithAndWithoutDroppedEdges) {
  for (const ModelCase& model : model_cases()) {
    for (const double rate : {0.0, 0.3}) {
      expect_like_the_cpu({model.name + (rate > 0 ? ", dropped edges" : ""),
                           [&](RunOptions& o) {
                             o.model = model.model;
                             o.network = model.options;
                             o.train.drop_edge = rate;
                           }});
    }
  }
}

TEST_F(CudaTrainingOptions, OfTheModel) {
  expect_like_the_cpu({
      {"mlp", [](RunOptions& o) { o.model = "mlp"; }},
      {"batch norm", [](RunOptions& o) { o.network.norm = Norm::batch; }},
      {"no norm", [](RunOptions& o) { o.network.norm = Norm::none; }},
      {"residual", [](RunOptions& o) { o.network.residual = true; }},
      {"tied gates", [](RunOptions& o) { o.network.tied_gates = true; }},
      {"two input layers", [](RunOptions& o) { o.network.mlp_layers = 2; }},
      {"256 columns", [](RunOptions& o) { o.network.hidden = 256; }},
      {"odd width",
       [](RunOptions& o) {
         o.network.hidden = 33;
         o.network.chunk = 3;
       }},
      {"no dropout",
       [](RunOptions& o) {
         o.network.dropout_theta = o.network.dropout_xi = 0;
       }},
  });
}

// Fused where rows are not too wide, one op after the other where they are.
TEST_F(CudaTrainingOptions, OfTheExtendedLayer) {
  for (const int64_t hidden : {32, 256, 260}) {
    for (const Norm norm : {Norm::layer, Norm::batch, Norm::none}) {
      expect_like_the_cpu(
          {to_string(norm) + " " + std::to_string(hidden), [=](RunOptions& o) {
             o.network.transform = Transform::linear;
             o.network.hidden = hidden;
             o.network.candidate_norm = norm;
             o.network.norm = norm == Norm::none ? Norm::layer : norm;
           }});
    }
  }
}

TEST_F(CudaTrainingOptions, Aggregators) {
  for (const Aggregator aggregator :
       {Aggregator::mean, Aggregator::gcn, Aggregator::sum, Aggregator::max,
        Aggregator::gat, Aggregator::signed_}) {
    expect_like_the_cpu({to_string(aggregator), [=](RunOptions& o) {
                           o.network.aggregator = aggregator;
                         }});
  }
}

TEST_F(CudaTrainingOptions, Gatings) {
  for (const Gating gating :
       {Gating::none, Gating::simple, Gating::ordered, Gating::softor}) {
    expect_like_the_cpu(
        {to_string(gating), [=](RunOptions& o) { o.network.gating = gating; }});
  }
}

TEST_F(CudaTrainingOptions, OfTheData) {
  const std::string two = "synthetic:csbm?nodes=60&classes=2&features=8";
  const std::string words =
      "synthetic:csbm?nodes=90&classes=3&features=400&sparse=true&density=";
  expect_like_the_cpu({
      {"identity",
       [](RunOptions& o) {
         o.data.treatment.features = Treatment::Features::identity;
       }},
      {"sparse", [=](RunOptions& o) { o.data.data = words + "0.02"; }},
      {"made dense", [=](RunOptions& o) { o.data.data = words + "0.2"; }},
      {"two classes", [=](RunOptions& o) { o.data.data = two; }},
      {"two classes, ROC AUC",
       [=](RunOptions& o) {
         o.data.data = two;
         o.train.metric = Metric::roc_auc;
       }},
      {"no test part",
       [](RunOptions& o) { o.data.split_set = "stratified:80/20/0x1"; }},
      {"class weights",
       [](RunOptions& o) { o.train.class_weights = "0:5,1:0.5"; }},
      {"balanced classes, chosen by log loss",
       [](RunOptions& o) {
         o.train.class_weights = "balanced";
         o.train.metric = Metric::log_loss;
       }},
      {"many classes",
       [](RunOptions& o) {
         o.data.data = "synthetic:csbm?nodes=600&classes=70&features=80";
       }},
  });
}

}  // namespace
}  // namespace ordered_gnn
