// Trains a network of one's own with the library's trainer: early stopping,
// checkpoints, resuming and the same bits on every run come with it.
#include <ordered_gnn/ordered_gnn.h>
#include <torch/types.h>

#include <cstdio>

namespace og = ordered_gnn;

// h = relu(x W1), logits = [h ; mean of the neighbours' h] W2.
class TwoLooks : public og::NodeModel {
 public:
  TwoLooks(int64_t features, int64_t width, int64_t classes) {
    og::RandomStream random(/*seed=*/1, og::kInitStream);
    // Names say which L2 a parameter gets, see NodeModel::role_of().
    input_ = register_module(
        "input", std::make_shared<og::Affine>(features, width, random));
    output_ = register_module(
        "output", std::make_shared<og::Affine>(2 * width, classes, random));
  }

  at::Tensor forward(const og::Graph& graph, const og::NodeFeatures& features,
                     const og::ForwardContext& context,
                     og::ForwardTrace* trace) override {
    at::Tensor h =
        og::feature_linear(features, input_->weight, input_->bias, 0.0, {})
            .relu();
    // The mask follows from seed, step and place, so that runs can be resumed.
    h = og::dropout(h, context.training ? 0.2 : 0.0,
                    {context.seed, context.step, /*site=*/1});
    const at::Tensor both = torch::cat({h, og::mean_aggregate(graph, h)}, 1);
    if (trace != nullptr) trace->embeddings = both;
    return og::linear(both, output_->weight, output_->bias);
  }

 private:
  std::shared_ptr<og::Affine> input_, output_;
};

int main() {
  const og::NodeDataset data =
      og::load_dataset("synthetic:csbm?nodes=600&homophily=0.8");
  const auto model = std::make_shared<TwoLooks>(data.features.num_features(),
                                                32, data.num_classes);
  og::RunOptions options = og::default_options();
  options.train.epochs = 100;
  const og::Trained trained = og::train(model, data, /*split=*/0, options);
  std::printf("test accuracy %.3f, best epoch %d\n",
              trained.result.test.accuracy,
              static_cast<int>(trained.result.best_epoch));
  return trained.result.test.accuracy > 0.5 ? 0 : 1;
}
