#include "lab/runs/event_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <system_error>

#include "core/io/little_endian.h"
#include "lab/report/packing.h"
#include "lab/runs/crc32c.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

// Field numbers of tensorflow/core/util/event.proto and
// tensorflow/core/framework/summary.proto.
constexpr uint64_t kEventWallTime = 1;
constexpr uint64_t kEventStep = 2;
constexpr uint64_t kEventFileVersion = 3;
constexpr uint64_t kEventSummary = 5;
constexpr uint64_t kSummaryValue = 1;
constexpr uint64_t kValueTag = 1;
constexpr uint64_t kValueSimple = 2;

enum class WireType : uint64_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  fixed32 = 5
};

void append_key(std::string& out, uint64_t field, WireType type) {
  append_varint(field << 3 | static_cast<uint64_t>(type), out);
}

void append_bytes(std::string& out, uint64_t field, const std::string& bytes) {
  append_key(out, field, WireType::bytes);
  append_varint(bytes.size(), out);
  out += bytes;
}

std::string event_at(double wall_time) {
  std::string event;
  append_key(event, kEventWallTime, WireType::fixed64);
  core::append_le(event, wall_time);
  return event;
}

std::string summary_value(const std::string& tag, double number) {
  std::string value;
  append_bytes(value, kValueTag, tag);
  append_key(value, kValueSimple, WireType::fixed32);
  core::append_le(value, static_cast<float>(number));
  return value;
}

// TFRecord rotates and shifts its checksums, so that those of data that holds
// checksums itself stay meaningful.
uint32_t masked_crc(std::string_view bytes) {
  const uint32_t crc = crc32c(bytes);
  return (crc >> 15 | crc << 17) + 0xa282ead8u;
}

std::string framed(const std::string& data) {
  std::string record;
  core::append_le(record, static_cast<uint64_t>(data.size()));
  core::append_le(record, masked_crc(record));
  record += data;
  core::append_le(record, masked_crc(data));
  return record;
}

double system_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

std::string host_name() {
  char name[256] = {};
  if (::gethostname(name, sizeof(name) - 1) != 0 || name[0] == '\0') {
    return "localhost";
  }
  return name;
}

std::string why_not_written(int code) {
  if (code == ENOSPC || code == EDQUOT || code == EFBIG) {
    return fmt::format("the disk is full ({})",
                       std::generic_category().message(code));
  }
  return std::generic_category().message(code);
}

}  // namespace

EventFile::EventFile(const std::filesystem::path& folder, Clock clock)
    : clock_(clock ? std::move(clock) : Clock(system_seconds)) {
  std::error_code status;
  std::filesystem::create_directories(folder, status);
  if (status) fail_in(folder, "cannot create the folder: " + status.message());
  const double now = clock_();
  create(folder, now);
  std::string event = event_at(now);
  append_bytes(event, kEventFileVersion, "brain.Event:2");
  try {
    append_record(event);
  } catch (...) {  // the destructor of a half-made object does not run
    ::close(descriptor_);
    throw;
  }
}

EventFile::~EventFile() { ::close(descriptor_); }

void EventFile::add(
    int64_t step, const std::vector<std::pair<std::string, double>>& scalars) {
  std::string summary;
  for (const auto& [tag, number] : scalars) {
    append_bytes(summary, kSummaryValue, summary_value(tag, number));
  }
  std::string event = event_at(clock_());
  append_key(event, kEventStep, WireType::varint);
  append_varint(static_cast<uint64_t>(step), event);
  append_bytes(event, kEventSummary, summary);
  append_record(event);
}

void EventFile::create(const std::filesystem::path& folder, double seconds) {
  static std::atomic<unsigned> counter{0};
  const std::string host = host_name();
  // TensorBoard reads the files of a folder in the order of their names: ten
  // digits keep that the order of time. A name that is taken is that of a
  // process that had our number, on this or another machine.
  do {
    path_ = folder / fmt::format("events.out.tfevents.{:010}.{}.{}.{}",
                                 static_cast<int64_t>(seconds), host,
                                 ::getpid(), counter++);
    descriptor_ =
        ::open(path_.c_str(),
               O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && (errno == EEXIST || errno == EINTR));
  if (descriptor_ < 0) {
    fail_in(path_, "cannot be created: " + why_not_written(errno));
  }
}

void EventFile::append_record(const std::string& data) {
  const std::string record = framed(data);
  for (size_t done = 0; done < record.size();) {
    const ssize_t count =
        ::write(descriptor_, record.data() + done, record.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int code = errno;
      // Readers stop at half a record, and so would miss all later ones.
      const bool cut = ::ftruncate(descriptor_, size_) == 0;
      fail_in(path_,
              fmt::format("cannot be written: {}; {}", why_not_written(code),
                          cut ? "it ends with the event before"
                              : "its last event may be incomplete"));
    }
    done += static_cast<size_t>(count);
  }
  size_ += static_cast<int64_t>(record.size());
}

}  // namespace ordered_gnn::lab
