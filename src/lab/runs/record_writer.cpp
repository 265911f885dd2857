#include "lab/runs/record_writer.h"

namespace ordered_gnn::lab {

RecordWriter::RecordWriter(RunLog& log,
                           std::function<void(const LoggedRun&)> told)
    : log_(log), told_(std::move(told)), thread_([this] { work(); }) {}

RecordWriter::~RecordWriter() {
  try {
    finish();
  } catch (...) {
    // Whoever leaves early has an exception of its own under way.
  }
}

void RecordWriter::put(LoggedRun record) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  waiting_.push_back(std::move(record));
  changed_.notify_one();
}

void RecordWriter::finish() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ending_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

void RecordWriter::work() {
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const std::vector<LoggedRun> records = std::move(waiting_);
    waiting_.clear();
    lock.unlock();
    std::exception_ptr failure;
    try {
      write(records);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
    if (failure_) return;
  }
}

void RecordWriter::write(const std::vector<LoggedRun>& records) {
  log_.append(records);
  for (const LoggedRun& record : records) told_(record);
}

}  // namespace ordered_gnn::lab
