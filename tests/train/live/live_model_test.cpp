#include "train/live/live_model.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/simd.h"
#include "data/formats/npz/dataset.h"
#include "ordered_gnn/data/registry.h"
#include "support/changing_graph.h"
#include "support/features.h"
#include "support/model_cases.h"
#include "support/temp_dir.h"

namespace ordered_gnn::training {
namespace {

constexpr int64_t kLiveNodes = 150, kLiveWidth = 6, kLiveClasses = 3;

struct LiveSetting {
  const char* name;
  Direction direction;
  SelfLoops loops;
  NodeFeatures::Kind features;
  bool is_weighted = false;
};
const LiveSetting kLiveSettings[] = {
    {"directed", Direction::as_stored, SelfLoops::keep,
     NodeFeatures::Kind::dense},
    {"reversed", Direction::reversed, SelfLoops::add,
     NodeFeatures::Kind::dense},
    {"undirected", Direction::undirected, SelfLoops::add,
     NodeFeatures::Kind::sparse},
    {"weighted", Direction::as_stored, SelfLoops::keep,
     NodeFeatures::Kind::dense, true},
    {"weighted both ways", Direction::undirected, SelfLoops::add,
     NodeFeatures::Kind::dense, true},
};

Treatment treatment_of(const LiveSetting& setting) {
  return {setting.direction, setting.loops,
          Treatment::Features::row_normalized};
}

// A ring whose nodes hear from near ones, so that neighbourhoods grow slowly.
RawDataset live_ring(const LiveSetting& setting) {
  RandomStream random(7);
  RawDataset raw;
  raw.name = "ring";
  raw.num_nodes = kLiveNodes;
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (int64_t v = 0; v < kLiveNodes; ++v) {
    raw.node_names.push_back("n" + std::to_string(v));
    for (int64_t k = v % 13 == 5 ? 0 : 2; k > 0; --k) {
      edges.emplace_back(
          (v + 1 + static_cast<int64_t>(random.below(4))) % kLiveNodes, v);
    }
  }
  raw.edges = torch::empty({2, static_cast<int64_t>(edges.size())}, at::kLong);
  for (size_t e = 0; e < edges.size(); ++e) {
    raw.edges[0][static_cast<int64_t>(e)] = edges[e].first;
    raw.edges[1][static_cast<int64_t>(e)] = edges[e].second;
  }
  if (setting.is_weighted) {
    raw.edge_weights = torch::empty({raw.edges.size(1)});
    for (int64_t e = 0; e < raw.edges.size(1); ++e) {
      raw.edge_weights[e] = static_cast<float>(random.below(9)) / 4.0f;
    }
  }
  raw.edges_are_undirected = setting.direction == Direction::undirected;
  torch::manual_seed(3);
  const at::Tensor values =
      torch::randint(0, 3, {kLiveNodes, kLiveWidth}).to(at::kFloat);
  raw.features = setting.features == NodeFeatures::Kind::dense
                     ? NodeFeatures::dense(values)
                     : sparse_from(values);
  raw.labels = torch::randint(0, kLiveClasses, {kLiveNodes}, at::kLong);
  raw.num_classes = kLiveClasses;
  return raw;
}

Trained untrained_model(const std::string& model, const ModelOptions& options,
                        const NodeDataset& data) {
  Trained out;
  out.options.model = model;
  out.options.network = options;
  out.shape = {data.features.num_features(), data.num_classes,
               data.features.kind(), data.num_nodes()};
  out.model = create_model(model, out.shape, options, 5);
  out.has_edge_weights = data.graph.weights().defined();
  torch::NoGradGuard no_grad;
  torch::manual_seed(11);
  for (const at::Tensor& parameter : out.model->parameters()) {
    parameter.add_(torch::randn_like(parameter) * 0.2);
  }
  return out;
}

// Rows of nodes that are there, in order.
at::Tensor rows_there(const core::RowTable& table,
                      const data::LiveGraph& graph) {
  return table.gathered(graph.rows());
}

// Other compilers do not fuse multiplications and additions alike for every
// number of rows in a tile.
bool rows_alone_are_exact() {
#if defined(__clang__) || __GNUC__ > 12
  return core::simd_level() == core::SimdLevel::baseline;
#else
  return true;
#endif
}

void expect_same(const at::Tensor& got, const at::Tensor& want) {
  ASSERT_EQ(got.sizes(), want.sizes());
  if (rows_alone_are_exact()) {
    EXPECT_TRUE(torch::equal(got, want))
        << (got - want).abs().max().item<float>();
  } else {
    EXPECT_TRUE(torch::allclose(got, want, 1e-4, 1e-5));
  }
}

// A live graph beside the plain one, and the states of a model on it.
class LiveRun {
 public:
  LiveRun(const LiveSetting& setting, const RawDataset& raw, Trained trained)
      : treatment_(treatment_of(setting)),
        plain(raw),
        graph(raw, prepare(raw, treatment_)),
        model(std::move(trained), {}),
        states(model.computed(graph)) {}

  void change(data::GraphChange change) {
    data::ChangeEffect effect;
    graph = graph.changed(change, {}, effect);
    graph.commit();
    plain.apply(change);
    work = {};
    states = model.updated(states, graph, effect, work);
  }

  // Gives up rows of nodes that are gone, where they are many.
  bool move_rows() {
    const auto moves = graph.row_moves();
    if (!moves) return false;
    states = states.moved(*moves);
    graph = graph.moved(*moves);
    return true;
  }

  NodeDataset fresh() const { return prepare(plain.raw(), treatment_); }

  void expect_fresh() const {
    const NodeDataset data = fresh();
    PredictionOptions options;
    options.embeddings = !states.layers.empty();
    const Prediction want = predict(model.trained(), data, options);
    expect_same(rows_there(states.logits, graph), want.logits);
    expect_same(rows_there(states.probabilities, graph), want.probabilities);
    if (options.embeddings) {
      expect_same(rows_there(states.last(), graph), want.embeddings);
    }
  }

 private:
  Treatment treatment_;

 public:
  PlainGraph plain;
  data::LiveGraph graph;
  LiveModel model;
  LiveStates states;
  UpdateWork work;
};

class LiveModels : public testing::TestWithParam<ModelCase> {};

TEST_P(LiveModels, AnswerAsOnTheChangedGraph) {
  if (is_per_node(GetParam().model, GetParam().options)) return;
  for (const LiveSetting& setting : kLiveSettings) {
    SCOPED_TRACE(setting.name);
    const RawDataset raw = live_ring(setting);
    const NodeDataset data = prepare(raw, treatment_of(setting));
    Trained trained =
        untrained_model(GetParam().model, GetParam().options, data);
    if (trained.model->told_labels()) return;  // these need splits
    LiveRun run(setting, raw, std::move(trained));
    run.expect_fresh();
    RandomStream random(17);
    for (int i = 0; i < 6; ++i) {
      run.change(random_change(run.plain, random, 3));
      ASSERT_NO_FATAL_FAILURE(run.expect_fresh()) << "change " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, LiveModels, testing::ValuesIn(model_cases()),
                         [](const auto& test) { return test.param.name; });

ModelOptions deep_options() {
  ModelOptions options;
  options.hidden = 16;
  options.chunk = 4;
  options.layers = 4;
  return options;
}

LiveRun deep_run(const LiveSetting& setting) {
  const RawDataset raw = live_ring(setting);
  return {setting, raw,
          untrained_model("ordered_gnn", deep_options(),
                          prepare(raw, treatment_of(setting)))};
}

TEST(LiveModel, ComputesOnlyWhatAChangeReaches) {
  LiveRun run = deep_run(kLiveSettings[0]);
  EXPECT_EQ(run.model.whole_because(run.graph), "");
  data::GraphChange change;
  for (const char* name : {"n80", "n81", "n82"}) {
    change.set_features.push_back({name, {9, 0, 1, 0, 2, 5}});
  }
  run.change(change);
  run.expect_fresh();
  EXPECT_EQ(run.work.whole_layers, 0);
  EXPECT_GT(run.work.rows, 15);
  EXPECT_LT(run.work.changed, kLiveNodes / 2);
  // The same once more changes nothing above the features.
  run.change(change);
  EXPECT_EQ(run.work.rows, 3);
  EXPECT_EQ(run.work.changed, 0);
}

TEST(LiveModel, ComputesAllWhereAChangeReachesMostOfTheGraph) {
  LiveRun run = deep_run(kLiveSettings[2]);
  data::GraphChange change;
  for (int64_t v = 0; v < kLiveNodes; v += 3) {
    change.add_edges.emplace_back("n0", "n" + std::to_string(v));
  }
  run.change(change);
  EXPECT_GT(run.work.whole_layers, 0);
  run.expect_fresh();
}

// Nodes that come and go in great numbers leave nothing behind but zeros.
TEST(LiveModel, LetsGoOfTheStatesOfNodesThatAreGone) {
  LiveRun run = deep_run(kLiveSettings[0]);
  data::GraphChange come, go;
  for (int i = 0; i < 400; ++i) {
    const std::string name = "more" + std::to_string(i);
    come.add_nodes.push_back({name, {1, 0, 2, 0, 1, 1}, -1});
    come.add_edges.emplace_back(name, "n3");
    if (i < 390) go.remove_nodes.push_back(name);
  }
  run.change(come);
  run.change(go);
  run.expect_fresh();
  EXPECT_TRUE(run.graph.is_gone(2));
  EXPECT_FALSE(run.graph.is_gone(1));
  for (const LiveStates::Layer& layer : run.states.layers) {
    EXPECT_EQ(layer.h.row(300)[1], 0);
    EXPECT_EQ(layer.h.row(256), layer.h.row(384));  // one chunk for both
  }
  data::GraphChange all;
  for (int64_t v = 0; v < kLiveNodes; ++v) {
    all.set_features.push_back({"n" + std::to_string(v), {1, 2, 3, 1, 2, 1}});
  }
  run.change(all);
  EXPECT_GT(run.work.whole_layers, 0);
  run.expect_fresh();
  EXPECT_EQ(run.states.logits.row(256), run.states.logits.row(384));
}

// Numbers of rows change, and nothing that is said of nodes.
TEST(LiveModel, GoesOnWhenRowsOfTheGoneAreGivenUp) {
  for (const LiveSetting& setting : kLiveSettings) {
    SCOPED_TRACE(setting.name);
    LiveRun run = deep_run(setting);
    RandomStream random(29);
    int64_t count = 0, moves = 0;
    for (int round = 0; round < 24; ++round) {
      data::GraphChange change;
      for (int i = 0; i < 40; ++i) {
        const std::string name = "more" + std::to_string(count++);
        change.add_nodes.push_back({name, {1, 0, 2, 0, 1, 1}, -1});
        change.add_edges.emplace_back(name, "n3");
        change.add_edges.emplace_back("n" + std::to_string(i), name);
        if (count > 60) {
          change.remove_nodes.push_back("more" + std::to_string(count - 61));
        }
      }
      run.change(change);
      moves += run.move_rows() ? 1 : 0;
      data::GraphChange other = random_change(run.plain, random, 3);
      other.remove_nodes.clear();
      run.change(other);
      if (round % 4 == 3) {
        ASSERT_NO_FATAL_FAILURE(run.expect_fresh()) << "round " << round;
      }
    }
    EXPECT_GE(moves, 2);
    EXPECT_LT(run.graph.num_rows(), 900);  // of 1100 that there were
    for (const std::string& name : run.plain.names()) {
      EXPECT_EQ(run.graph.name_of(run.graph.find(name)), name);
    }
    EXPECT_EQ(run.graph.raw().node_names, run.plain.names());
  }
}

// A row below all others moves what row normalisation subtracts.
TEST(LiveModel, FollowsTheMinimumOfTheFeatures) {
  LiveRun run = deep_run(kLiveSettings[0]);
  data::GraphChange lower;
  lower.set_features.push_back({"n7", {-2, 0, 1, 0, 2, 5}});
  run.change(lower);
  run.expect_fresh();
  data::GraphChange back;
  back.set_features.push_back({"n7", {2, 0, 1, 0, 2, 5}});
  run.change(back);
  run.expect_fresh();
}

// Many changes, every tenth held against a run on the graph as it then is; at
// the end also the file that is written of it.
TEST(LiveModel, AnswersAsOnTheChangedGraphAfterAThousandChanges) {
  LiveRun run = deep_run(kLiveSettings[2]);
  RandomStream random(23);
  for (int i = 0; i < 1000; ++i) {
    run.change(random_change(run.plain, random, i % 100 < 90 ? 3 : 0));
    if (i % 10 == 9) {
      ASSERT_NO_FATAL_FAILURE(run.expect_fresh()) << "change " << i;
    }
  }
  const TempDir dir;
  data::write_npz_dataset(dir / "g.npz", run.graph.raw());
  DataOptions options;
  options.data = (dir / "g.npz").string();
  const NodeDataset written = load_dataset(options);
  EXPECT_EQ(written.node_names, run.plain.names());
  EXPECT_TRUE(torch::equal(predict(run.model.trained(), written).logits,
                           predict(run.model.trained(), run.fresh()).logits));
  EXPECT_TRUE(torch::equal(run.graph.dataset().graph.in().col,
                           run.fresh().graph.in().col));
}

}  // namespace
}  // namespace ordered_gnn::training
