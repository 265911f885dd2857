#include "lab/serve/change_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/io/little_endian.h"
#include "lab/runs/crc32c.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr std::string_view kLogSignature = "ognn changes 1\n";
constexpr size_t kRecordStart = 16;  // length, sequence, checksum
constexpr size_t kChecksum = 4;

bool is_zeros(std::string_view bytes) {
  return std::all_of(bytes.begin(), bytes.end(),
                     [](char byte) { return byte == 0; });
}

enum class Reading { whole, torn, damaged };

// The record at the beginning of the bytes.
Reading read_record(std::string_view bytes, LogRecord& record, size_t& size) {
  if (bytes.size() < kRecordStart) return Reading::torn;
  const auto start = bytes.substr(0, kRecordStart - kChecksum);
  if (core::load_le<uint32_t>(bytes.data() + start.size()) != crc32c(start)) {
    return is_zeros(bytes) ? Reading::torn : Reading::damaged;
  }
  const size_t length = core::load_le<uint32_t>(bytes.data());
  const auto sequence = core::load_le<uint64_t>(bytes.data() + 4);
  if (sequence > static_cast<uint64_t>(core::kMostWhole)) {
    return Reading::damaged;
  }
  size = kRecordStart + length + kChecksum;
  if (bytes.size() < size) return Reading::torn;
  const auto body = bytes.substr(kRecordStart, length);
  const auto sum =
      core::load_le<uint32_t>(bytes.data() + kRecordStart + length);
  if (sum != crc32c(body)) {
    return is_zeros(bytes.substr(kRecordStart)) ? Reading::torn
                                                : Reading::damaged;
  }
  record = {static_cast<int64_t>(sequence), std::string(body)};
  return Reading::whole;
}

LogHeader header_of(const LogRecord& record, const std::string& place) {
  const Json json = core::parse_json(record.body, place + ": header");
  return core::reading(place, "header", [&] {
    LogHeader out;
    out.base_sequence = record.sequence;
    out.base = json.at("base").get<std::string>();
    out.origin = json.at("origin");
    if (!out.origin.is_object()) fail("'origin' is no object");
    return out;
  });
}

[[noreturn]] void fail_damaged(const std::string& place, int64_t after,
                               size_t at) {
  fail(
      "{}: the record after change {} is damaged, at byte {}; every change "
      "before it can be kept by moving this file away, cutting a copy off "
      "there and starting with that, or take the file from a backup",
      place, after, at);
}

}  // namespace

std::string encoded(const LogRecord& record) {
  if (record.body.size() > std::numeric_limits<uint32_t>::max()) {
    fail("a change of {} bytes is too long for a log", record.body.size());
  }
  std::string out;
  core::append_le(out, static_cast<uint32_t>(record.body.size()));
  core::append_le(out, static_cast<uint64_t>(record.sequence));
  core::append_le(out, crc32c(out));
  out += record.body;
  core::append_le(out, crc32c(record.body));
  return out;
}

std::string log_start(const LogHeader& header) {
  const Json json = {{"base", header.base}, {"origin", header.origin}};
  return std::string(kLogSignature) +
         encoded({header.base_sequence, json.dump()});
}

LogContent parse_log(std::string_view bytes, const std::string& place) {
  if (bytes.substr(0, kLogSignature.size()) != kLogSignature) {
    fail("{}: is no log of changes of this version of ognn", place);
  }
  LogContent out;
  size_t at = kLogSignature.size();
  size_t size = 0;
  LogRecord record;
  if (read_record(bytes.substr(at), record, size) != Reading::whole) {
    fail("{}: the header of the log is damaged", place);
  }
  out.header = header_of(record, place);
  int64_t last = out.header.base_sequence;
  for (at += size; at < bytes.size(); at += size) {
    const Reading reading = read_record(bytes.substr(at), record, size);
    if (reading == Reading::torn) break;
    if (reading == Reading::damaged || record.sequence != last + 1) {
      fail_damaged(place, last, at);
    }
    last = record.sequence;
    out.records.push_back(std::move(record));
  }
  out.end = static_cast<int64_t>(at);
  out.cut_bytes = static_cast<int64_t>(bytes.size() - at);
  return out;
}

ChangeLog::ChangeLog(std::filesystem::path file, int64_t end)
    : file_(std::move(file)),
      handle_(::open(file_.c_str(), O_RDWR | O_CLOEXEC)),
      bytes_(end) {
  if (handle_ < 0) {
    fail_in(file_, fmt::format("cannot be written to: {}", strerror(errno)));
  }
  if (::ftruncate(handle_, end) == 0 && ::fdatasync(handle_) == 0) return;
  const int error = errno;
  ::close(handle_);
  fail_in(file_, fmt::format("what was cut off by a kill cannot be removed: {}",
                             strerror(error)));
}

ChangeLog::~ChangeLog() { ::close(handle_); }

void ChangeLog::fail_append(const char* what, int error) {
  const std::string text = strerror(error);
  // What was written in part must not be taken for a record later.
  if (::ftruncate(handle_, bytes_) != 0) {
    broken_ = fmt::format("it could not be cut back: {}", strerror(errno));
  }
  fail_in(file_, fmt::format("{}: {}", what, text));
}

std::string ChangeLog::from(int64_t position) const {
  std::string out(static_cast<size_t>(bytes_ - position), '\0');
  size_t done = 0;
  while (done < out.size()) {
    const ssize_t read = ::pread(handle_, out.data() + done, out.size() - done,
                                 position + static_cast<int64_t>(done));
    if (read < 0 && errno == EINTR) continue;
    if (read <= 0) {
      fail_in(file_, fmt::format("cannot be read: {}",
                                 read < 0 ? strerror(errno) : "it was cut"));
    }
    done += static_cast<size_t>(read);
  }
  return out;
}

void ChangeLog::append(std::string_view records) {
  if (!broken_.empty()) {
    fail_in(file_,
            "takes no changes until the server is started again: " + broken_);
  }
  size_t done = 0;
  while (done < records.size()) {
    const ssize_t wrote =
        ::pwrite(handle_, records.data() + done, records.size() - done,
                 bytes_ + static_cast<int64_t>(done));
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      fail_append("the change cannot be written", wrote < 0 ? errno : ENOSPC);
    }
    done += static_cast<size_t>(wrote);
  }
  if (::fdatasync(handle_) != 0) {
    // Pages that could not be written may be marked clean: another flush would
    // promise what is not so.
    const int error = errno;
    broken_ = fmt::format("a flush failed: {}", strerror(error));
    fail_append("the change cannot be flushed to the disk", error);
  }
  bytes_ += static_cast<int64_t>(records.size());
}

}  // namespace ordered_gnn::lab
