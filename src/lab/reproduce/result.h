#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lab/reproduce/paper.h"
#include "lab/runs/result_origin.h"
#include "lab/runs/statistics.h"
#include "ordered_gnn/core/options.h"
#include "ordered_gnn/train/metrics.h"

namespace ordered_gnn::lab {

/// One run behind a number of a table.
struct CellRun {
  int64_t split = 0;
  int64_t seed = 0;
  double score = 0;       ///< test accuracy in per cent, or milliseconds
  double validation = 0;  ///< per cent; 0 for times
  int64_t epochs = 0;
  int64_t best_epoch = 0;
  double seconds = 0;
};

enum class CellStatus {
  done,
  missing,  ///< files of its dataset are not here
  failed,
};
std::string to_string(CellStatus status);

/// A device that some cells of a result were computed on, and in words the
/// machine that has it.
struct MadeOn {
  std::string device, machine;
};

/// One number of a repeated table with everything it rests on.
struct CellResult {
  std::string row;     ///< system or depth
  std::string column;  ///< dataset or setting
  std::string recipe;  ///< name of its recipe
  std::string dataset;
  Metric metric = Metric::accuracy;  ///< that scores are of, unless times
  std::string fingerprint;  ///< of the data; empty unless it was loaded
  CellStatus status = CellStatus::done;
  std::string reason;         ///< why it is not done
  std::vector<CellRun> runs;  ///< empty unless done
  int64_t parameters = 0;     ///< of the model; 0: not known
  std::optional<PublishedValue> published;
  std::optional<PublishedValue> measured;  ///< see kMeasured
  /// Row of the same column that this one is compared with, run by run; may be
  /// empty.
  std::string against;
  /// A run is what models of several seeds say as one, with the first of these
  /// seeds.
  bool together = false;
  /// Where that is not the device of the experiment's result.
  std::optional<MadeOn> made_on;
};

/// The scores of its runs, for the statistics of runs.
std::vector<RunScore> run_scores(const CellResult& cell);

/// describe_runs() of them: over splits, seeds averaged within a split.
Statistics describe(const CellResult& cell);

/// Who made runs of an experiment.
struct MadeBy {
  std::string command, version, commit;
  int64_t runs = 0;
};

/// Counts one more run of that maker.
void count_run(const std::string& command, const std::string& version,
               const std::string& commit, std::vector<MadeBy>& makers);

/// A table or figure of the paper, repeated: what `results.json` holds, and all
/// that tables, plots and reports are made from.
struct ExperimentResult : ResultOrigin {
  std::string name;
  std::string title;
  std::string unit = "%";  ///< of scores: "%" or "ms"
  bool quick = false;
  std::vector<MadeBy> made_by;
  std::vector<std::string> notes;
  std::vector<std::string> broken;  ///< lines of the log that were not used
  std::vector<CellResult> cells;
  Json gates;  ///< null but for the experiment of that name
};

/// The row of Table 2 that has the recipes of tuned/ instead of the paper's.
constexpr const char* kOurSettings = "Ordered GNN, our settings";

/// What every output of a quick run says, and what it means.
constexpr int64_t kQuickSplits = 3;
constexpr int64_t kQuickEpochs = 60;
std::string quick_label();

/// Rows and columns in the order of the cells, each once.
std::vector<std::string> rows_of(const ExperimentResult& result);
std::vector<std::string> columns_of(const ExperimentResult& result);
/// Null when there is none.
const CellResult* find_cell(const ExperimentResult& result,
                            const std::string& row, const std::string& column);

/// A cell against another of its column, see compare_runs().
struct CellComparison {
  std::string row, against, column;
  PairedComparison paired;
};

/// For every finished cell that names another to be compared with.
std::vector<CellComparison> paired_comparisons(const ExperimentResult& result);

/// How a system stands in a column: against the one of the others that is
/// furthest ahead of it, or least behind, run by run. Variants of Ordered GNN
/// ("Ordered GNN, gcn") are no others to each other.
struct Standing {
  enum class Place { best, level, behind };
  std::string column, row, rival;
  PairedComparison paired;  ///< of row - rival
  /// `level` where the difference is inside the noise.
  Place place = Place::level;
};
std::string to_string(Standing::Place place);

/// Of the first row, and then of kOurSettings where it is another: one per
/// column where the row and a rival are done. None where rows are no systems.
std::vector<Standing> standings(const ExperimentResult& result);

/// Points below the paper's number from which a cell is listed with a reason.
constexpr double kShortfallPoints = 2.5;

/// The finished cells whose mean is that far below the paper's; none for times
/// and quick results.
std::vector<const CellResult*> shortfalls(const ExperimentResult& result);

/// Statistics, comparisons and verdicts are written too, for other programs;
/// reading takes them from the runs again.
Json to_json(const ExperimentResult& result);

/// @throws Error or Json::exception when something is missing or does not fit;
///         UsageError for an experiment that this version does not have.
ExperimentResult experiment_result_from_json(const Json& json);

}  // namespace ordered_gnn::lab
