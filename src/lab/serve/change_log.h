#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ordered_gnn/core/non_copyable.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// What a log is the log of.
struct LogHeader {
  int64_t base_sequence = 0;  ///< changes that its base has had already
  std::string base;           ///< identity of the graph that it starts from
  Json origin;                ///< tells what all began with
};

/// One change that was acknowledged, or is about to be.
struct LogRecord {
  int64_t sequence = 0;
  std::string body;
};

/// What reading a log gives.
struct LogContent {
  LogHeader header;
  std::vector<LogRecord> records;
  int64_t end = 0;        ///< bytes of the file that are whole
  int64_t cut_bytes = 0;  ///< behind them: a record that was being written
};

/// A log begins with the line "ognn changes 1\n" and its header, a record as
/// below whose sequence is that of the base; records follow:
///
///   u32 length of the body, u64 sequence, u32 CRC-32C of these twelve bytes,
///   the body, u32 CRC-32C of the body
///
/// all little-endian, sequences rising by one. A kill can leave the beginning
/// of a record at the end, a power cut zeros: that was never acknowledged and
/// does not count. All else that does not fit is damage.
std::string encoded(const LogRecord& record);
std::string log_start(const LogHeader& header);

/// @param place  names the log in errors.
/// @throws Error naming the record and the byte of what is damaged.
LogContent parse_log(std::string_view bytes, const std::string& place);

/// A log that is written to. What append() has returned from is on the disk.
class ChangeLog : NonCopyable {
 public:
  /// Opens a log that was read: what follows `end` is cut off.
  ChangeLog(std::filesystem::path file, int64_t end);
  ~ChangeLog();

  const std::filesystem::path& file() const { return file_; }
  int64_t bytes() const { return bytes_; }

  /// Appends encoded() records as a whole and flushes them.
  /// @throws Error when the disk refuses: nothing of it stays, and the log can
  ///         be appended to again, unless it could not be flushed: what the
  ///         disk then holds is not known, and every later call throws.
  void append(std::string_view records);
  /// What was appended from a byte on.
  std::string from(int64_t position) const;
  /// Lets every later append() throw.
  void refuse(std::string why) { broken_ = std::move(why); }

 private:
  [[noreturn]] void fail_append(const char* what, int error);

  std::filesystem::path file_;
  int handle_ = -1;
  int64_t bytes_ = 0;
  std::string broken_;  // why it takes no more
};

}  // namespace ordered_gnn::lab
