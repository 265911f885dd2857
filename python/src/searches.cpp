#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <thread>

#include "bindings.h"
#include "conversions.h"
#include "lab/compare/comparison.h"
#include "lab/reproduce/reproduction.h"
#include "lab/runs/recipe.h"
#include "lab/sweep/sweep.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::python {
namespace {

namespace py = pybind11;

constexpr std::chrono::milliseconds kBetweenLooks{50};

// Work of many runs, on a thread of its own, so that this one, on which Python
// notices Ctrl-C, can look for it. Runs then stop as those of the command do.
class LongWork {
 public:
  explicit LongWork(const py::object& told) : told_(told) {}

  lab::StopRequest* stop() { return &stop_; }

  // Hands a line of progress to Python; from any thread, without the GIL.
  void tell(const std::string& line) {
    if (told_.is_none() || stop_.made()) return;
    const py::gil_scoped_acquire holding;
    try {
      told_(py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
          line.data(), static_cast<Py_ssize_t>(line.size()), "replace")));
    } catch (py::error_already_set& failure) {
      failure_ = std::make_unique<py::error_already_set>(std::move(failure));
      stop_.make();
    }
  }

  void run(const std::function<void()>& work) {
    std::exception_ptr thrown;
    {
      const py::gil_scoped_release parallel;
      std::atomic<bool> done{false};
      std::thread worker([&] {
        try {
          work();
        } catch (...) {
          thrown = std::current_exception();
        }
        done = true;
      });
      while (!done) {
        std::this_thread::sleep_for(kBetweenLooks);
        look_for_signals();
      }
      worker.join();
    }
    if (failure_) {
      failure_->restore();
      failure_.reset();
      throw py::error_already_set();
    }
    if (thrown) std::rethrow_exception(thrown);
  }

 private:
  void look_for_signals() {
    const py::gil_scoped_acquire holding;
    if (PyErr_CheckSignals() == 0) return;
    auto caught = std::make_unique<py::error_already_set>();
    if (!failure_) failure_ = std::move(caught);
    stop_.make();
  }

  const py::object told_;
  lab::StopRequest stop_;
  std::unique_ptr<py::error_already_set> failure_;
};

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json();
}

lab::BatchOptions batch_of(const RunOptions& options, bool retry_failed,
                           const char* command, LongWork& work) {
  lab::BatchOptions batch;
  batch.execution = options.execution;
  batch.retry_failed = retry_failed;
  batch.command = command;
  batch.stop = work.stop();
  return batch;
}

void set_search_options(const Json& values, lab::SweepSpec& spec) {
  for (const auto& [name, value] : values.items()) {
    const Option<lab::SweepSpec>& row =
        find_option(lab::sweep_option_table(), "search option", name);
    check_option(row.spec, value);
    row.set(spec, value);
  }
}

Json trial_json(const lab::TrialResult& trial) {
  Json out = lab::to_json(trial.setting);
  out["trial"] = trial.number;
  out["val_mean"] =
      std::isfinite(trial.objective())
          ? Json(lower_is_better(trial.metric) ? -trial.objective()
                                               : trial.objective())
          : Json();
  out["val_se"] = number(trial.val.standard_error);
  out["runs"] = trial.runs;
  out["failed"] = trial.failed;
  out["error"] = trial.error;
  out["seconds"] = trial.seconds;
  out["rung"] = trial.rung;
  return out;
}

// The trials, best first, and the best options.
py::object sweep_from_python(const py::object& config, const py::dict& values,
                             const py::dict& search, const py::object& out,
                             bool retry_failed, const py::object& told) {
  lab::SweepSpec spec = lab::read_sweep(path_text(config));
  lab::override_base(from_python(values), spec);
  set_search_options(from_python(search), spec);
  LongWork work(told);
  const lab::BatchOptions batch =
      batch_of(spec.base, retry_failed, "ordered_gnn.sweep", work);
  lab::SweepHooks hooks;
  hooks.on_note = [&](const std::string& note) { work.tell(note); };
  hooks.on_broken_line = hooks.on_note;
  hooks.on_progress = [&](const lab::SweepProgress& progress) {
    work.tell(fmt::format("{}/{} runs done, {} failed", progress.runs_done,
                          progress.runs_total, progress.runs_failed));
  };
  const std::string folder = path_text(out);
  lab::SweepResult result;
  work.run([&] { result = lab::run_sweep(spec, folder, batch, hooks); });
  Json trials = Json::array();
  for (const lab::TrialResult& trial : lab::ranked(result.trials)) {
    trials.push_back(trial_json(trial));
  }
  return to_python(
      Json{{"trials", trials},
           {"best", result.best ? to_json(result.best_options) : Json()},
           {"best_test_mean", number(result.best_test_mean)},
           {"dataset", result.dataset}});
}

py::object compare_from_python(const std::vector<std::string>& models,
                               const py::dict& values,
                               const std::string& splits,
                               const std::vector<int64_t>& seeds,
                               int64_t trials, const py::object& out,
                               bool retry_failed, const py::object& told) {
  lab::ComparisonOptions options;
  options.models = models;
  options.values = from_python(values);
  options.splits = splits;
  options.seeds = seeds;
  options.trials = trials;
  const RunOptions run = run_options_from_layers({options.values});
  for (const char* name : {"workers", "threads", "device", "math"}) {
    options.values.erase(name);  // how runs are done, not what they are
  }
  LongWork work(told);
  const lab::BatchOptions batch =
      batch_of(run, retry_failed, "ordered_gnn.compare", work);
  lab::ComparisonHooks hooks;
  hooks.on_note = [&](const std::string& note) { work.tell(note); };
  hooks.on_broken_line = hooks.on_note;
  hooks.on_tuning = [&](const std::string& model,
                        const lab::SweepProgress& progress) {
    work.tell(fmt::format("tuning {}: {}/{} runs", model, progress.runs_done,
                          progress.runs_total));
  };
  hooks.on_run = [&](const lab::LoggedRun& run_done, const std::string& model,
                     const lab::BatchProgress& progress) {
    work.tell(fmt::format("{}, split {}: {} ({}/{})", model, run_done.split,
                          run_done.result ? "done" : run_done.error,
                          progress.skipped + progress.done, progress.total));
  };
  const std::string folder = path_text(out);
  lab::Comparison result;
  work.run(
      [&] { result = lab::run_comparison(options, folder, batch, hooks); });
  Json json = to_json(result);
  json["conclusion"] = lab::conclusion(result);
  return to_python(json);
}

py::object reproduce_from_python(const std::string& experiment,
                                 const py::dict& choices,
                                 const py::dict& values, const py::object& out,
                                 bool retry_failed, const py::object& told) {
  lab::ReproductionOptions options;
  options.datasets = choices["datasets"].cast<std::vector<std::string>>();
  options.seeds = choices["seeds"].cast<std::vector<int64_t>>();
  options.splits = choices["splits"].cast<std::string>();
  options.models = choices["models"].cast<std::vector<std::string>>();
  options.quick = choices["quick"].cast<bool>();
  const RunOptions run = run_options_from_layers({from_python(values)});
  options.data_root = run.data.data_root;
  LongWork work(told);
  const lab::BatchOptions batch =
      batch_of(run, retry_failed, "ordered_gnn.reproduce", work);
  lab::ReproductionHooks hooks;
  hooks.on_step = [&](const std::string& line) { work.tell(line); };
  hooks.on_run = [&](const lab::LoggedRun& done, const std::string& what,
                     const lab::BatchProgress& progress) {
    work.tell(fmt::format("{}: {} ({}/{})", what,
                          done.result ? "done" : done.error,
                          progress.skipped + progress.done, progress.total));
  };
  const std::string folder = path_text(out);
  Json results = Json::array();
  work.run([&] {
    const std::vector<lab::ExperimentPlan> plans =
        lab::plan_experiments(experiment, options);
    lab::Reproduction reproduction(folder, batch, hooks);
    for (const lab::ExperimentPlan& plan : plans) {
      results.push_back(to_json(reproduction.run(plan)));
    }
  });
  return to_python(results);
}

}  // namespace

void bind_searches(py::module_& module) {
  module.def("sweep", &sweep_from_python);
  module.def("compare", &compare_from_python);
  module.def("reproduce", &reproduce_from_python);
  module.def("experiments", &lab::experiment_names);
  module.def("read_recipe", [](const py::object& name) {
    return to_python(lab::read_recipe(path_text(name)));
  });
}

}  // namespace ordered_gnn::python
