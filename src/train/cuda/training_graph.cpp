#include "train/cuda/training_graph.h"

#include <ATen/Functions.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAException.h>
#include <torch/types.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "train/cuda/run_stream.h"
#include "train/weight_average.h"

namespace ordered_gnn::training {
namespace {

using cuda::EpochState;

at::Tensor learning_rates(const TrainOptions& options, at::Device device) {
  const at::Tensor rates = at::empty({options.epochs}, at::kDouble);
  for (int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    rates.data_ptr<double>()[epoch - 1] = learning_rate(options, epoch);
  }
  return rates.to(device);
}

at::Tensor average_decays(const TrainOptions& options, at::Device device) {
  const at::Tensor decays = at::empty({options.epochs}, at::kDouble);
  for (int64_t epoch = 1; epoch <= options.epochs; ++epoch) {
    decays.data_ptr<double>()[epoch - 1] =
        average_decay(options.average_weights, epoch);
  }
  return decays.to(device);
}

}  // namespace

TrainingGraph::TrainingGraph(NodeModel& model, TrainStep& step,
                             const TrainOptions& options,
                             at::ScalarType storage)
    : model_(model), step_(step), options_(options) {
  const at::Device device = model.parameters().front().device();
  state_ = at::zeros({sizeof(EpochState) / sizeof(int64_t)},
                     at::device(device).dtype(at::kLong));
  lr_of_epoch_ = learning_rates(options, device);
  if (options.average_weights > 0) {
    decay_of_epoch_ = average_decays(options, device);
  }
  if (storage == at::kBFloat16) {
    stored_ = std::make_shared<cuda::StoredParameters>(model.parameters());
  }
}

EpochState* TrainingGraph::device_state() const {
  return reinterpret_cast<EpochState*>(state_.data_ptr<int64_t>());
}

void TrainingGraph::set_state(const EpochState& state) {
  C10_CUDA_CHECK(cudaMemcpyAsync(device_state(), &state, sizeof(state),
                                 cudaMemcpyHostToDevice, current_stream()));
  C10_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
}

EpochState TrainingGraph::state() const {
  // Asleep until the epochs are over, for a copy would wait on a core that the
  // runs beside this one have work for.
  at::cuda::CUDAEvent over(cudaEventDisableTiming | cudaEventBlockingSync);
  over.record();
  over.synchronize();
  EpochState state;
  C10_CUDA_CHECK(cudaMemcpyAsync(&state, device_state(), sizeof(state),
                                 cudaMemcpyDeviceToHost, current_stream()));
  C10_CUDA_CHECK(cudaStreamSynchronize(current_stream()));
  return state;
}

at::Tensor TrainingGraph::word(size_t offset, at::ScalarType type) const {
  return state_.view(type).narrow(
      0, static_cast<int64_t>(offset / sizeof(int64_t)), 1);
}

at::Tensor TrainingGraph::average_decay() const {
  // Before the first epoch, when the graph is warmed up, it is 0.
  const at::Tensor place = (word(offsetof(EpochState, epoch), at::kLong) - 1)
                               .clamp(0, options_.epochs - 1);
  return decay_of_epoch_.index_select(0, place).squeeze(0);
}

void TrainingGraph::refresh_stored() const {
  if (stored_) stored_->refresh();
}

void TrainingGraph::warm_up(const std::function<void()>& tail) {
  const torch::NoGradGuard no_grad;
  // Batch statistics move in every forward pass.
  std::vector<at::Tensor> buffers;
  for (const at::Tensor& buffer : model_.buffers()) {
    buffers.push_back(buffer.clone());
  }
  {
    const torch::AutoGradMode recording(true);
    step_.backward(step_.loss(/*step=*/1));
  }
  step_.optimizer().zero_grad();
  if (tail) tail();
  const std::vector<at::Tensor> own = model_.buffers();
  for (size_t i = 0; i < own.size(); ++i) own[i].copy_(buffers[i]);
}

void TrainingGraph::record(const std::function<void()>& tail) {
  EpochState* const state = device_state();
  C10_CUDA_CHECK(cuda::launch_begin_epoch(state,
                                          lr_of_epoch_.data_ptr<double>(),
                                          options_.epochs, current_stream()));
  std::optional<cuda::StoredParameters::Use> use;
  if (stored_) {
    use.emplace(stored_);
    stored_->refresh();
  }
  const at::Tensor epoch = word(offsetof(EpochState, epoch), at::kLong);
  const at::Tensor loss = step_.loss(epoch);
  loss_ = loss.detach();
  AT_DISPATCH_FLOATING_TYPES(loss.scalar_type(), "check_loss", [&] {
    C10_CUDA_CHECK(cuda::launch_check_loss(state, loss_.data_ptr<scalar_t>(),
                                           current_stream()));
  });
  step_.backward(loss);
  const Adam::DeviceClock clock = {
      word(offsetof(EpochState, lr), at::kDouble), epoch,
      word(offsetof(EpochState, stopped), at::kLong)};
  step_.optimizer().step(clock, options_.clip_norm);
  if (!tail) return;
  refresh_stored();
  tail();
}

void TrainingGraph::capture(const std::function<void()>& warm_tail,
                            const std::function<void()>& tail) {
  graph_.capture([&] { warm_up(warm_tail); }, [&] { record(tail); });
}

}  // namespace ordered_gnn::training
