#include "lab/serve/service.h"

#include <fmt/format.h>

#include "core/io/json_reader.h"
#include "lab/serve/load_service.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::lab {
namespace {

// How long work that failed waits before it is tried again.
constexpr auto kBeforeAnotherTry = std::chrono::seconds(1);

// Memory that was freed serves the next version; it is given back when no
// change has come for so long, since that holds up who asks for memory.
constexpr auto kBeforeRelease = std::chrono::seconds(2);

// Changes of a log were accepted once, whatever the limits are today.
data::ChangeLimits no_limits() {
  constexpr int64_t kMost = int64_t{1} << 40;
  return {kMost, kMost, kMost};
}

}  // namespace

Service::Service(ServiceSettings settings)
    : settings_(std::move(settings)), compact_from_(settings_.compact_bytes) {
  load();
  writer_ = std::thread([this] { run_writer(); });
  updates_ = std::thread([this] { run_updates(); });
}

Service::~Service() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_all();
  writer_.join();
  updates_.join();
  if (compactor_.joinable()) compactor_.join();
}

void Service::load() {
  const auto model =
      load_served_model(settings_.checkpoint, settings_.execution);
  folder_ = std::make_unique<StateFolder>(settings_.state);
  const std::filesystem::path base = folder_->base();
  if (!base.empty()) require_origin(*model);
  LoadedGraph loaded =
      load_served_graph(*model, base.empty() ? settings_.data : base);
  replay(loaded.graph);
  const int64_t sequence = folder_->base_sequence() +
                           static_cast<int64_t>(folder_->records().size());
  if (folder_->cut_bytes() > 0) {
    settings_.say(fmt::format(
        "{} bytes at the end of the log are of a change that was never "
        "acknowledged, and are cut off",
        folder_->cut_bytes()));
  }
  folder_->start(loaded.identity, {{"identity", loaded.identity},
                                   {"file", file_marks(settings_.data)}});
  require_memory(
      model->model.state_bytes(loaded.graph.num_rows()),
      settings_.data.string(),
      fmt::format("keeping the states of {} nodes", loaded.graph.num_rows()));
  tell_work(loaded.graph, *model);
  auto version = std::make_shared<ServedVersion>();
  version->sequence = sequence;
  version->states = model->model.computed(loaded.graph);
  version->model = model;
  version->graph = loaded.graph;
  head_ = std::move(loaded.graph);
  head_sequence_ = sequence;
  version_ = std::move(version);
  status_.log_bytes = folder_->log_bytes();
  release_recycled_memory();
}

// First of all by whom it is made; afterwards on the thread of updates alone.
void Service::tell_work(const data::LiveGraph& graph,
                        const ServedModel& model) {
  told_nodes_ = graph.num_nodes();
  if (!settings_.before_pass) return;
  settings_.before_pass({graph.num_nodes(), graph.num_edges(),
                         model.model.trained().options.network.hidden});
}

// A graph that was compacted is read instead of the one it began as, which must
// still be that: a user who has replaced it expects to see the new one.
void Service::require_origin(const ServedModel& model) const {
  const Json& origin = folder_->origin();
  const Json marks = file_marks(settings_.data);
  if (!marks.is_null() && origin.value("file", Json()) == marks) return;
  // A copy has another time.
  const std::string identity =
      load_served_graph(model, settings_.data).identity;
  if (origin.value("identity", "") != identity) folder_->fail_replaced();
}

void Service::replay(data::LiveGraph& graph) const {
  for (const LogRecord& record : folder_->records()) {
    try {
      data::GraphChange change = change_from_json(
          core::parse_json(record.body, "change",
                           {static_cast<int64_t>(record.body.size())}),
          graph);
      data::ChangeEffect effect;
      graph = graph.changed(change, no_limits(), effect);
      graph.commit();
    } catch (const Error& error) {
      fail_in(settings_.state,
              fmt::format("change {} of the log does not fit the graph: {}",
                          record.sequence, error.what()));
    }
  }
}

std::shared_ptr<const ServedVersion> Service::version() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return version_;
}

ServiceStatus Service::status() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  ServiceStatus out = status_;
  out.sequence = head_sequence_;
  out.visible = version_->sequence;
  out.pending = static_cast<int64_t>(waiting_.size());
  return out;
}

data::LiveGraph Service::head() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return head_;
}

bool Service::wait_for(int64_t sequence, std::chrono::milliseconds most) const {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, most, [&] {
    return is_stopping_ || version_->sequence >= sequence;
  }) && version_->sequence >= sequence;
}

void Service::publish(std::shared_ptr<const ServedVersion> version) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // Who waits for a model sees at once that it is no more the next one and
    // that it answers.
    if (next_model_ == version->model) next_model_.reset();
    // The version before is let go of outside, where nobody waits for that.
    version_.swap(version);
  }
  changed_.notify_all();
}

void Service::set_problem(const std::string& problem) {
  const std::lock_guard<std::mutex> lock(mutex_);
  status_.problem = problem;
}

void Service::run_updates() {
  bool is_release_due = false;
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    const auto has_work = [&] {
      return is_stopping_ || next_model_ ||
             head_sequence_ != version_->sequence;
    };
    if (is_release_due && !changed_.wait_for(lock, kBeforeRelease, has_work)) {
      lock.unlock();
      release_recycled_memory();
      is_release_due = false;
      lock.lock();
    }
    changed_.wait(lock, has_work);
    if (is_stopping_) return;
    const data::LiveGraph graph = head_;
    const int64_t sequence = head_sequence_;
    const data::ChangeEffect effect = std::move(effect_);
    effect_ = {};
    lock.unlock();
    std::string problem;
    try {
      if (update(graph, sequence, effect)) is_release_due = true;
      give_up_rows();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    lock.lock();
    status_.problem = problem;
    if (problem.empty()) continue;
    // A model that cannot be had is given up; changes stay to be computed.
    next_model_.reset();
    data::ChangeEffect all = effect;
    all.merge(effect_);
    effect_ = std::move(all);
    changed_.notify_all();
    changed_.wait_for(lock, kBeforeAnotherTry, [&] { return is_stopping_; });
  }
}

bool Service::update(const data::LiveGraph& graph, int64_t sequence,
                     const data::ChangeEffect& effect) {
  const auto start = Clock::now();
  std::shared_ptr<const ServedVersion> before;
  auto version = std::make_shared<ServedVersion>();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    before = version_;
    version->model = next_model_ ? next_model_ : before->model;
  }
  const bool is_new_model = version->model != before->model;
  if (is_new_model || graph.num_nodes() >= 2 * told_nodes_) {
    tell_work(graph, *version->model);
  }
  training::UpdateWork work;
  version->sequence = sequence;
  version->graph = graph;
  if (is_new_model) {
    version->states = version->model->model.computed(graph);
    work = {graph.num_nodes(), graph.num_nodes(), 1};
  } else {
    version->states =
        version->model->model.updated(before->states, graph, effect, work);
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++status_.updates;
    status_.model_loads += is_new_model;
    status_.rows_computed += work.rows;
    status_.nodes_changed += work.changed;
    status_.whole_layers += work.whole_layers;
    status_.update_seconds += seconds_since(start);
  }
  publish(std::move(version));
  return work.whole_layers > 0;
}

// Only this thread publishes versions. What was acknowledged since the one that
// answers follows it, so that the writer waits for a moment alone.
void Service::give_up_rows() {
  const std::shared_ptr<const ServedVersion> before = version();
  const std::optional<core::RowMoves> moves = before->graph.row_moves();
  if (!moves) return;
  const ThreadScope threads(before->model->model.options().execution.threads);
  auto after = std::make_shared<ServedVersion>();
  after->sequence = before->sequence;
  after->model = before->model;
  after->graph = before->graph.moved(*moves);
  after->states = before->states.moved(*moves);
  const data::LiveGraph::MovedGraph known{before->graph, after->graph};
  const std::lock_guard<std::mutex> no_new_head(heading_);
  const core::RowMoves all = moves->extended(head_.num_rows());
  data::LiveGraph head = head_.moved(all, &known);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::swap(head_, head);
    effect_ = effect_.moved(all);
    status_.rows_given_up +=
        static_cast<int64_t>(moves->row_after.size()) - moves->num_rows;
  }
  publish(std::move(after));
}

void Service::reload() {
  const std::lock_guard<std::mutex> one_at_a_time(reloading_);
  const auto model =
      load_served_model(settings_.checkpoint, settings_.execution);
  std::shared_ptr<const ServedModel> before;
  data::LiveGraph graph;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    before = version_->model;
    graph = head_;
  }
  require_successor(*before, *model, graph, settings_.checkpoint);
  std::unique_lock<std::mutex> lock(mutex_);
  next_model_ = model;
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_stopping_ || next_model_ != model; });
  if (version_->model == model) return;
  throw ServiceError(503,
                     is_stopping_ ? "the server is stopping" : status_.problem);
}

std::shared_ptr<const ExplainedVersion> Service::explained() {
  const std::lock_guard<std::mutex> one_at_a_time(explaining_);
  const std::shared_ptr<const ServedVersion> now = version();
  if (!explained_ || explained_->sequence != now->sequence ||
      explained_->model != now->model) {
    explained_.reset();
    explained_ = explained_version(*now);
    // What the pass over all nodes has taken would stay in the heap.
    release_recycled_memory();
  }
  return explained_;
}

}  // namespace ordered_gnn::lab
