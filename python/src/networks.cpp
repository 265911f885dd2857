#include <ATen/core/grad_mode.h>

#include <optional>

#include "bindings.h"
#include "datasets.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "train/evaluation_context.h"
#include "train/model_state.h"
#include "training.h"

namespace ordered_gnn::python {
namespace {

namespace py = pybind11;

// A model of the table that a loop in Python trains: its parameters are tensors
// of Python, and forward() records gradients.
class Network {
 public:
  Network(std::shared_ptr<NodeModel> model, Trained about)
      : model_(std::move(model)), about_(std::move(about)) {
    about_.model = nullptr;
  }

  training::TensorMap state() const { return training::named_state(*model_); }

  py::dict named(bool buffers) const {
    py::dict out;
    if (buffers) {
      for (const auto& entry : model_->named_buffers()) {
        out[py::str(entry.key())] = entry.value();
      }
    } else {
      for (const auto& entry : model_->named_parameters()) {
        out[py::str(entry.key())] = entry.value();
      }
    }
    return out;
  }

  // @param step  of training; 0 or less: no dropout.
  at::Tensor forward(const DatasetHandle& data, bool training, int64_t seed,
                     int64_t step, int64_t split) {
    require_fit(about_, *data);
    const training::EvaluationContext told(*model_, *data, split);
    ForwardContext context = told.forward();
    context.training = training;
    context.seed = seed;
    context.step = step;
    if (training) {
      model_->train();
    } else {
      model_->eval();
    }
    return model_->forward(data->graph, data->features, context);
  }

  // A checkpoint of the parameters as they are now; scores are those of before.
  TrainedHandle trained() const {
    auto out = std::make_shared<Trained>(about_);
    const at::NoGradGuard no_grad;
    std::shared_ptr<NodeModel> copy = create_model(
        about_.options.model, about_.shape, about_.options.network, 0);
    training::TensorMap values;
    for (const auto& [name, value] : state()) {
      values[name] = value.detach().to(at::kCPU, at::kFloat);
    }
    training::load_state(*copy, values, "the network");
    copy->eval();
    out->model = std::move(copy);
    return out;
  }

 private:
  std::shared_ptr<NodeModel> model_;
  Trained about_;  // all but the model
};

// A copy, so that training it leaves the trained model alone.
std::shared_ptr<Network> network_of(const Trained& trained) {
  if (trained.is_own_model) {
    throw UsageError("a model of the caller's own cannot be copied");
  }
  const at::NoGradGuard no_grad;
  std::shared_ptr<NodeModel> copy =
      create_model(trained.options.model, trained.shape,
                   trained.options.network, trained.options.train.seed);
  training::load_state(*copy, training::named_state(*trained.model),
                       "the trained model");
  return std::make_shared<Network>(std::move(copy), trained);
}

// The trained model with other values of its parameters.
TrainedHandle with_state(const Trained& trained, const py::dict& state) {
  auto out = std::make_shared<Trained>(trained);
  const at::NoGradGuard no_grad;
  out->model = create_model(trained.options.model, trained.shape,
                            trained.options.network, 0);
  training::TensorMap values;
  for (const auto& [name, value] : state) {
    values[name.cast<std::string>()] =
        value.cast<at::Tensor>().detach().to(at::kCPU, at::kFloat);
  }
  training::load_state(*out->model, values, "the state dict");
  out->model->eval();
  return out;
}

}  // namespace

void bind_networks(py::module_& module) {
  py::class_<Network, std::shared_ptr<Network>>(module, "Network")
      .def("forward", &Network::forward,
           py::call_guard<py::gil_scoped_release>())
      .def("trained", &Network::trained)
      .def_property_readonly(
          "parameters", [](const Network& net) { return net.named(false); })
      .def_property_readonly(
          "buffers", [](const Network& net) { return net.named(true); });
  module.def("network_of", &network_of);
  module.def("with_state", &with_state);
}

}  // namespace ordered_gnn::python
