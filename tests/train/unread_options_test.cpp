#include "train/unread_options.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <map>

#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/train.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/graphs.h"
#include "support/model_cases.h"
#include "support/temp_dir.h"

namespace ordered_gnn::training {
namespace {

using Tensors = std::map<std::string, at::Tensor>;

bool are_equal(const Tensors& a, const Tensors& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, tensor] : a) {
    const auto found = b.find(name);
    if (found == b.end() || !torch::equal(tensor, found->second)) return false;
  }
  return true;
}

// Another value that fits the small networks of the tests.
Json another(const OptionSpec& spec, const Json& value) {
  if (spec.kind == OptionKind::flag) return !value.get<bool>();
  if (!spec.choices.empty()) {
    return value == spec.choices[0] ? spec.choices[1] : spec.choices[0];
  }
  if (spec.kind == OptionKind::real) return value == 0.25 ? 0.5 : 0.25;
  static const std::map<std::string, int64_t> fitting = {
      {"layers", 2},     {"hidden", 24},       {"chunk", 2},
      {"mlp-layers", 2}, {"heads", 3},         {"output-heads", 3},
      {"hops", 1},       {"global-layers", 1}, {"local-epochs", 2}};
  const int64_t other = fitting.at(spec.name);
  return value == other ? other + 1 : other;
}

Tensors trained(const RunOptions& options) {
  const TempDir dir;
  TrainHooks hooks;
  hooks.folder = dir.path();
  NodeDataset data = load_dataset(options.data);
  data.graph = one_way(data.graph);  // with directions to tell apart
  train_split(data, 0, options, hooks);
  return core::read_safetensors(dir / "model.safetensors").tensors;
}

class ReadOptions : public testing::TestWithParam<std::string> {};

TEST_P(ReadOptions, AreThoseThatChangeWhatIsLearnt) {
  RunOptions options = tiny_run();
  options.train.epochs = 2;
  options.model = GetParam();
  for (const ModelCase& item : model_cases()) {
    if (item.name == options.model) options.network = item.options;
  }
  options.network.convolution = ConvolutionKind::sage;
  options.network.chunk = 6;  // an even number of gates, one half a direction
  const Tensors plain = trained(options);
  if (plain.empty()) {  // nothing is learnt that an option could change
    EXPECT_EQ(options.model, "label_propagation");
    return;
  }
  for (const auto& row : model_option_table()) {
    const std::string& name = row.spec.name;
    RunOptions changed = options;
    row.set(changed.network, another(row.spec, row.get(options.network)));
    EXPECT_NE(are_equal(trained(changed), plain), reads_option(changed, name))
        << name;
  }
}

INSTANTIATE_TEST_SUITE_P(AllModels, ReadOptions,
                         testing::ValuesIn(model_names()),
                         [](const auto& info) { return info.param; });

TEST(ReadOptionsOfTraining, FollowTheRolesOfTheParameters) {
  for (const ModelCase& item : model_cases()) {
    if (item.name != item.model) continue;
    const ModelShape shape{4, 2, NodeFeatures::Kind::dense, 5};
    const auto model = create_model(item.model, shape, item.options, 1);
    std::map<ParameterRole, int> roles;
    for (const auto& parameter : model->named_parameters()) {
      ++roles[NodeModel::role_of(parameter.key())];
    }
    const ModelEntry& entry = find_model(item.model);
    EXPECT_EQ(entry.reads_option("l2-theta"), roles[ParameterRole::theta] > 0)
        << item.name;
    EXPECT_EQ(entry.reads_option("l2-xi"), roles[ParameterRole::xi] > 0)
        << item.name;
    EXPECT_EQ(entry.reads_option("input-norm"),
              roles[ParameterRole::input_norm] > 0)
        << item.name;
  }
}

// Whom the help of an option names, it names in brackets.
TEST(ReadOptionsHelp, NamesTheModelsThatReadAnOption) {
  for (const auto& row : baseline_option_table()) {
    for (const ModelEntry& entry : model_table()) {
      const std::string& help = row.spec.help;
      const bool named = contains(help, "(" + entry.name + ")") ||
                         contains(help, "(" + entry.name + ", ") ||
                         contains(help, ", " + entry.name + ")") ||
                         contains(help, ", " + entry.name + ", ");
      EXPECT_EQ(named, entry.reads_option(row.spec.name))
          << row.spec.name << ' ' << entry.name;
    }
  }
}

TEST(ReadOptionsHelp, SaysForWhomALayoutIsKept) {
  for (const auto& row : train_option_table()) {
    if (row.spec.name != "layout-cache") continue;
    EXPECT_TRUE(contains(row.spec.help, "(geom_gcn)")) << row.spec.help;
    return;
  }
  FAIL() << "no such option";
}

TEST(UnreadOptions, AreToldOnceForEveryReason) {
  RunOptions options;
  EXPECT_TRUE(unread_options(options, {"chunk", "lr", "data"}).empty());
  options.network.gating = Gating::none;
  const std::vector<std::string> told = unread_options(
      options, {"tied-gates", "chunk", "heads", "cs-hops", "norm"});
  ASSERT_EQ(told.size(), 3u);
  EXPECT_TRUE(contains(told[0], "ordered_gnn does not read --heads; it reads"));
  EXPECT_EQ(told[1],
            "with --gating none there are no gates for --tied-gates and "
            "--chunk");
  EXPECT_EQ(told[2], "without --correct-smooth there is no use for --cs-hops");
}

TEST(UnreadOptions, DependOnOtherOptions) {
  RunOptions options = run_options_from_json({{"model", "jknet"}});
  EXPECT_FALSE(reads_option(options, "aggregator"));
  options.network.convolution = ConvolutionKind::sage;
  EXPECT_TRUE(reads_option(options, "aggregator"));
  EXPECT_FALSE(reads_option(options, "cs-scale"));
  options.correct_smooth.enabled = true;
  EXPECT_TRUE(reads_option(options, "cs-scale"));
}

TEST(UnreadOptions, AreNotCheckedEither) {
  for (const char* model : {"mlp", "bare_gnn"}) {
    const RunOptions options =
        run_options_from_json({{"model", model}, {"hidden", 30}});
    EXPECT_EQ(error_of([&] { validate(options); }), "") << model;
  }
  const RunOptions gated = run_options_from_json(
      {{"model", "gated_gnn"}, {"hidden", 30}, {"gating", "none"}});
  EXPECT_TRUE(contains(error_of([&] { validate(gated); }), "not divisible"));
}

}  // namespace
}  // namespace ordered_gnn::training
