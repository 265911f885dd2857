#include "training.h"

#include <ATen/Functions.h>

#include "bindings.h"
#include "data/class_names.h"
#include "data/tables/column_json.h"
#include "datasets.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/metrics.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"

namespace ordered_gnn::python {

namespace py = pybind11;

void Listener::tell(const std::function<py::object()>& make) {
  if (!told_ || told_.is_none() || stop_) return;
  const py::gil_scoped_acquire holding;
  try {
    const py::object answer = told_(make());
    stop_ = !answer.is_none() && py::bool_(answer);
  } catch (py::error_already_set& failure) {
    stop_ = true;
    interrupted_ = failure.matches(PyExc_KeyboardInterrupt);
    if (!interrupted_) {
      failure_ = std::make_unique<py::error_already_set>(std::move(failure));
    }
  }
}

bool Listener::should_stop() {
  if (stop_) return true;
  const py::gil_scoped_acquire holding;
  if (PyErr_CheckSignals() == 0) return false;
  stop_ = true;
  if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
    PyErr_Clear();
    interrupted_ = true;
  } else {
    failure_ = std::make_unique<py::error_already_set>();
  }
  return true;
}

void Listener::raise_again() {
  if (!failure_) return;
  failure_->restore();
  failure_.reset();
  throw py::error_already_set();
}

namespace {

py::dict epoch_dict(const EpochReport& report) {
  py::dict out;
  out["split"] = report.split;
  out["epoch"] = report.epoch;
  out["epochs"] = report.epochs;
  out["loss"] = report.loss;
  out["lr"] = report.lr;
  out["train"] = to_python(to_json(report.train));
  out["val"] = to_python(to_json(report.val));
  out["test"] = to_python(to_json(report.test));
  out["best_epoch"] = report.best_epoch;
  out["best_score"] = report.best_score;
  out["seconds"] = report.seconds;
  out["seconds_left"] = report.seconds_left;
  return out;
}

// What an epoch gave, kept without asking Python for anything.
class History {
 public:
  explicit History(Metric metric) : metric_(metric) {}

  void add(const EpochReport& report) {
    epoch_.push_back(static_cast<double>(report.epoch));
    loss_.push_back(report.loss);
    train_.push_back(value_of(report.train, metric_));
    val_.push_back(value_of(report.val, metric_));
    test_.push_back(value_of(report.test, metric_));
  }

  py::dict columns() const {
    py::dict out;
    out["epoch"] = tensor(epoch_);
    out["loss"] = tensor(loss_);
    out["train"] = tensor(train_);
    out["val"] = tensor(val_);
    out["test"] = tensor(test_);
    return out;
  }

 private:
  static at::Tensor tensor(const std::vector<double>& values) {
    at::Tensor out = at::empty({static_cast<int64_t>(values.size())},
                               at::dtype(at::kDouble));
    std::copy(values.begin(), values.end(), out.data_ptr<double>());
    return out;
  }

  Metric metric_;
  std::vector<double> epoch_, loss_, train_, val_, test_;
};

// Says of a moment whether `seconds` have passed since the last one it was true
// of.
class Interval {
 public:
  explicit Interval(double seconds) : seconds_(seconds) {}

  bool is_over(double now) {
    if (now < next_) return false;
    next_ = now + seconds_;
    return true;
  }

 private:
  double seconds_;
  double next_ = 0;
};

// A run that is stopped leaves its best model so far in the folder.
TrainedHandle best_so_far(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "model.safetensors";
  if (folder.empty() || !std::filesystem::exists(file)) return nullptr;
  return std::make_shared<Trained>(load_trained(file));
}

// The model, whether it was stopped by Ctrl-C or the callback ("stopped") or
// has ended as planned ("done"), whether that was Ctrl-C, and the history. No
// model when it was stopped before the first epoch was over.
py::tuple train_from_python(const DatasetHandle& data, int64_t split,
                            const py::dict& values, const py::object& folder,
                            bool resume, const py::object& on_epoch,
                            double every_seconds, const py::object& on_note) {
  const RunOptions options = run_options_from_layers({from_python(values)});
  Listener listener(on_epoch);
  std::vector<std::string> notes;
  TrainHooks hooks;
  hooks.folder = path_text(folder);
  hooks.resume = resume;
  History history(options.train.metric);
  Interval interval(every_seconds);
  hooks.on_epoch = [&](const EpochReport& report) {
    history.add(report);
    const bool last = report.epoch == report.epochs;
    if (on_epoch.is_none() || !(interval.is_over(report.seconds) || last)) {
      return;
    }
    listener.tell([&] { return epoch_dict(report); });
  };
  hooks.should_stop = [&] { return listener.should_stop(); };
  hooks.on_note = [&](const std::string& note) { notes.push_back(note); };
  TrainedHandle trained;
  bool stopped = false;
  {
    const py::gil_scoped_release parallel;
    try {
      trained = std::make_shared<Trained>(train(*data, split, options, hooks));
    } catch (const Interrupted&) {
      stopped = true;
      trained = best_so_far(hooks.folder);
    }
  }
  for (const std::string& note : notes) {
    if (!on_note.is_none()) on_note(note);
  }
  listener.raise_again();
  return py::make_tuple(trained, stopped ? "stopped" : "done",
                        listener.interrupted(), history.columns());
}

Prediction predict_as(const Trained& trained, const NodeDataset& data,
                      bool embeddings, bool gates, int64_t threads) {
  PredictionOptions options = prediction_options(trained);
  options.embeddings = embeddings;
  options.gates = gates;
  options.execution.threads = threads;
  return predict(trained, data, options);
}

py::dict predict_from_python(const TrainedHandle& trained,
                             const DatasetHandle& data, bool embeddings,
                             bool gates, int64_t threads) {
  Prediction said;
  {
    const py::gil_scoped_release parallel;
    const NodeDataset matched = match_features(*trained, *data);
    said = predict_as(*trained, matched, embeddings, gates, threads);
  }
  py::dict out;
  out["logits"] = said.logits;
  out["probabilities"] = said.probabilities;
  out["labels"] = said.labels;
  out["embeddings"] = said.embeddings;
  out["gates"] = said.gates;
  return out;
}

py::dict state_of(const Trained& trained) {
  py::dict out;
  for (const auto& entry : trained.model->named_parameters()) {
    out[py::str(entry.key())] = entry.value().detach();
  }
  for (const auto& entry : trained.model->named_buffers()) {
    out[py::str(entry.key())] = entry.value();
  }
  return out;
}

DatasetHandle training_data(const Trained& trained) {
  const py::gil_scoped_release parallel;
  FoundData found = load_training_data(trained);
  for (std::string& note : found.notes) {
    found.data.provenance.notes.push_back(std::move(note));
  }
  return std::make_shared<NodeDataset>(std::move(found.data));
}

void bind_trained_class(py::module_& module) {
  py::class_<Trained, TrainedHandle>(
      module, "Trained",
      "A trained model and what it takes to use it: options, result (scores), "
      "class_names, columns; state() has its tensors by name, save(file) "
      "writes a checkpoint.")
      .def_readonly("dataset", &Trained::dataset)
      .def_readonly("fingerprint", &Trained::fingerprint)
      .def_readonly("feature_names", &Trained::feature_names)
      .def_readonly("has_edge_weights", &Trained::has_edge_weights)
      .def_property_readonly("class_names",
                             [](const Trained& trained) {
                               return data::all_class_names(
                                   trained.class_names,
                                   trained.shape.num_classes);
                             })
      .def_property_readonly(
          "columns",
          [](const Trained& trained) {
            return to_python(data::columns_json(trained.columns));
          })
      .def_property_readonly(
          "num_features",
          [](const Trained& trained) { return trained.shape.num_features; })
      .def_property_readonly(
          "num_classes",
          [](const Trained& trained) { return trained.shape.num_classes; })
      .def_property_readonly("options",
                             [](const Trained& trained) {
                               return to_python(to_json(trained.options));
                             })
      .def_property_readonly("result",
                             [](const Trained& trained) {
                               return to_python(to_json(trained.result));
                             })
      .def("state", &state_of)
      .def("save", [](const Trained& trained, const py::object& file) {
        const std::string path = path_text(file);
        const py::gil_scoped_release parallel;
        trained.save(path);
      });
}

}  // namespace

void bind_training(py::module_& module) {
  bind_trained_class(module);
  module.def("train", &train_from_python);
  module.def("predict", &predict_from_python);
  module.def("training_data", &training_data);
  module.def("load_trained", [](const py::object& file) {
    const std::string path = path_text(file);
    const py::gil_scoped_release parallel;
    return std::make_shared<Trained>(load_trained(path));
  });
}

}  // namespace ordered_gnn::python
