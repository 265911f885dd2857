#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "lab/runs/event_file.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/train.h"

namespace ordered_gnn::cli {

/// An event file per split that trains, in `folder/<dataset>-split-<K>`; none
/// when the folder is empty. Made for the hooks of run_splits(), which are
/// never called two at a time: workers need no lock here.
class TensorBoardLog {
 public:
  TensorBoardLog(std::filesystem::path folder, std::string dataset)
      : folder_(std::move(folder)), dataset_(std::move(dataset)) {
    // A dataset file may call itself what it likes, "../x" for example.
    std::replace(dataset_.begin(), dataset_.end(), '/', '_');
    if (folder_.empty()) return;
    // Now and not in the first epoch, when a run has been started.
    std::error_code status;
    std::filesystem::create_directories(folder_, status);
    if (status) {
      fail_in(folder_, "cannot create the folder: " + status.message());
    }
  }

  void epoch(const EpochReport& report) {
    if (folder_.empty()) return;
    lab::EventFile& file =
        files_
            .try_emplace(
                report.split,
                folder_ / fmt::format("{}-split-{}", dataset_, report.split))
            .first->second;
    std::vector<std::pair<std::string, double>> scalars = {
        {"loss", report.loss},
        {"lr", report.lr},
        {"accuracy/train", report.train.accuracy},
        {"accuracy/val", report.val.accuracy},
        {"accuracy/test", report.test.accuracy},
        {"macro_f1/val", report.val.macro_f1},
        {"best/val", report.best_score}};
    // Without a test part, or in an epoch that was not evaluated, there is
    // nothing to draw.
    const auto is_nothing = [](const std::pair<std::string, double>& scalar) {
      return std::isnan(scalar.second);
    };
    scalars.erase(std::remove_if(scalars.begin(), scalars.end(), is_nothing),
                  scalars.end());
    file.add(report.epoch, scalars);
  }

  /// Closes the file of a split: splits may be many, open files are few.
  void split_done(int64_t split) { files_.erase(split); }

 private:
  std::filesystem::path folder_;
  std::string dataset_;
  std::map<int64_t, lab::EventFile> files_;
};

}  // namespace ordered_gnn::cli
