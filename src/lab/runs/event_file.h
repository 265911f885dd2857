#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::lab {

/// A file of scalars that TensorBoard shows: TFRecords of `Event` messages.
/// TensorBoard joins the files of one folder to one run, so a run that goes on
/// later starts another file in the same folder. Not for several threads at a
/// time.
class EventFile : NonCopyable {
 public:
  /// Seconds since 1970.
  using Clock = std::function<double()>;

  /// Starts a new file `events.out.tfevents.<seconds>.<host>.<pid>.<counter>`;
  /// files that are there are never touched.
  ///
  /// @param folder  created when missing.
  /// @param clock   wall time of the events; empty: that of the system.
  /// @throws Error naming the folder or the file that cannot be written.
  explicit EventFile(const std::filesystem::path& folder, Clock clock = {});
  ~EventFile();

  const std::filesystem::path& path() const { return path_; }

  /// Adds one event with a value per tag and hands it to the system before it
  /// returns. Values are stored as float32; NaN and infinity are kept.
  ///
  /// @throws Error when it cannot be written, the disk being full for example;
  ///         the file then ends with the event before.
  void add(int64_t step,
           const std::vector<std::pair<std::string, double>>& scalars);

 private:
  void create(const std::filesystem::path& folder, double seconds);
  void append_record(const std::string& data);

  Clock clock_;
  std::filesystem::path path_;
  int descriptor_ = -1;
  int64_t size_ = 0;  ///< of the complete records
};

}  // namespace ordered_gnn::lab
