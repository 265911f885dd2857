#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "lab/serve/service.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {
namespace {

constexpr int kUnavailable = 503, kNoRoom = 507;
// Memory that must be left beside what new rows take: for lists, answers and
// what computes them.
constexpr int64_t kSpareBytes = int64_t{64} << 20;

}  // namespace

void Service::check_change(const data::GraphChange& change) const {
  const auto now = version();
  const Trained& trained = now->model->model.trained();
  const int64_t wanted =
      kSpareBytes + now->model->model.state_bytes(
                        static_cast<int64_t>(change.add_nodes.size()));
  const MemoryLeft left = memory_left(wanted);
  if (left.bytes < wanted) {
    throw ServiceError(kUnavailable,
                       "memory is short for changes: " + left_text(left));
  }
  const bool moves_nodes =
      !change.add_nodes.empty() || !change.remove_nodes.empty();
  if (!moves_nodes || trained.is_own_model ||
      !is_per_node(trained.options.model, trained.options.network)) {
    return;
  }
  throw data::FieldError(
      change.add_nodes.empty() ? "remove_nodes" : "add_nodes",
      fmt::format("{} has parameters for the nodes it was trained on and for "
                  "no others: nodes cannot come or go",
                  trained.options.model));
}

Service::Accepted Service::change(data::GraphChange change) {
  check_change(change);
  std::future<Accepted> accepted;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (is_stopping_) {
      throw ServiceError(kUnavailable, "the server is stopping");
    }
    if (static_cast<int64_t>(waiting_.size()) >= settings_.max_pending) {
      throw ServiceError(kUnavailable,
                         fmt::format("{} changes wait to be written; try "
                                     "again",
                                     waiting_.size()));
    }
    waiting_.push_back({std::move(change), Clock::now(), {}});
    accepted = waiting_.back().accepted.get_future();
  }
  changed_.notify_all();
  return accepted.get();
}

void Service::run_writer() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(
        lock, [&] { return is_stopping_ || !waiting_.empty() || compacted_; });
    std::deque<Waiting> batch = std::move(waiting_);
    waiting_.clear();
    const bool ends = is_stopping_ && batch.empty();
    const bool has_compacted = compacted_ != nullptr;
    lock.unlock();
    if (has_compacted) finish_compaction();
    if (ends) return;
    if (!batch.empty()) write_changes(std::move(batch));
    start_compaction();
    lock.lock();
  }
}

// All of them are on the disk before one is acknowledged; those that do not fit
// are not among them.
void Service::write_changes(std::deque<Waiting> batch) {
  struct Applied {
    Waiting* from;
    Accepted accepted;
  };
  const std::lock_guard<std::mutex> one_head_at_a_time(heading_);
  data::LiveGraph graph = head_;
  int64_t sequence = head_sequence_;
  data::ChangeEffect effects;
  std::vector<Applied> applied;
  std::string records;
  for (Waiting& one : batch) {
    try {
      data::ChangeEffect effect;
      data::LiveGraph next =
          graph.changed(one.change, settings_.limits, effect);
      const std::string record =
          encoded({sequence + 1, to_json(one.change).dump()});
      next.commit();
      records += record;
      effects.merge(effect);
      graph = std::move(next);
      applied.push_back({&one, {++sequence, std::move(one.change)}});
    } catch (...) {
      one.accepted.set_exception(std::current_exception());
    }
  }
  if (applied.empty()) return;
  const auto flush = Clock::now();
  try {
    folder_->append(records);
  } catch (const Error& error) {
    head_.take_back_later();
    for (const Applied& one : applied) {
      one.from->accepted.set_exception(
          std::make_exception_ptr(ServiceError(kNoRoom, error.what())));
    }
    set_problem(error.what());
    return;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    // What was the head goes outside, where nobody waits for that.
    std::swap(head_, graph);
    head_sequence_ = sequence;
    effect_.merge(effects);
    status_.log_bytes = folder_->log_bytes();
    const double flush_seconds = seconds_since(flush);
    status_.flush_seconds += flush_seconds;
    status_.longest_flush = std::max(status_.longest_flush, flush_seconds);
    status_.longest_change =
        std::max(status_.longest_change, seconds_since(batch.front().arrived));
  }
  changed_.notify_all();
  for (Applied& one : applied) {
    one.from->accepted.set_value(std::move(one.accepted));
  }
}

void Service::start_compaction() {
  data::LiveGraph graph;
  Compaction work;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const bool is_due = settings_.compact_bytes > 0 &&
                        folder_->log_bytes() >= compact_from_ &&
                        head_sequence_ > folder_->base_sequence();
    if (!is_due || is_compacting_ || is_stopping_) return;
    is_compacting_ = true;
    graph = head_;
    work.sequence = head_sequence_;
    work.position = folder_->log_bytes();
  }
  if (compactor_.joinable()) compactor_.join();
  compactor_ =
      std::thread([this, graph = std::move(graph), work = std::move(work)] {
        run_compaction(graph, work);
      });
}

void Service::run_compaction(const data::LiveGraph& graph, Compaction work) {
  try {
    const RawDataset raw = graph.raw();
    folder_->write_graph(raw, work.sequence);
    work.identity = graph_identity(raw);
  } catch (const std::exception& error) {
    work.problem = error.what();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  compacted_ = std::make_unique<Compaction>(std::move(work));
  changed_.notify_all();
  changed_.wait(lock, [&] { return is_stopping_ || is_log_settled_; });
  if (!is_log_settled_) return;  // the next start does what is left
  is_log_settled_ = false;
  lock.unlock();
  // Large files take a while to go, for which no change waits.
  folder_->remove_others();
  // A copy of the graph was made; beside other work its memory may have come on
  // top of the heap, where it would stay.
  release_recycled_memory();
  lock.lock();
  is_compacting_ = false;
}

void Service::finish_compaction() {
  std::unique_ptr<Compaction> work;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    work = std::move(compacted_);
  }
  if (work->problem.empty()) {
    try {
      folder_->start_log(work->identity, work->sequence, work->position);
    } catch (const std::exception& error) {
      work->problem = error.what();
    }
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  is_log_settled_ = true;
  changed_.notify_all();
  status_.log_bytes = folder_->log_bytes();
  if (work->problem.empty()) {
    ++status_.compactions;
    compact_from_ = settings_.compact_bytes;
  } else {
    // The log goes on; another try comes when it has grown by as much again.
    status_.problem = "the log is not compacted: " + work->problem;
    compact_from_ = folder_->log_bytes() + settings_.compact_bytes;
  }
}

}  // namespace ordered_gnn::lab
