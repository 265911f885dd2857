#include "core/io/text/csv_blocks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {
namespace {

constexpr int64_t kRowsOfBlock = 4096;
// Enough that a thread which was held up does not hold up the others.
constexpr int64_t kBlocksPerThread = 4;

struct CsvBlock {
  std::string text;
  int64_t guarded = 0;
};

}  // namespace

int64_t write_csv_rows(AtomicFile& file, FormulaText formulas, int64_t num_rows,
                       const std::function<void(CsvWriter& csv, int64_t begin,
                                                int64_t end)>& write_rows) {
  const int64_t all = (num_rows + kRowsOfBlock - 1) / kRowsOfBlock;
  const int64_t at_a_time =
      std::min<int64_t>(all, kBlocksPerThread * num_threads());
  std::vector<CsvBlock> blocks(static_cast<size_t>(at_a_time));
  int64_t guarded = 0;
  for (int64_t first = 0; first < all; first += at_a_time) {
    const int64_t count = std::min(at_a_time, all - first);
    parallel_blocks(count, [&](int64_t i) {
      CsvBlock& block = blocks[static_cast<size_t>(i)];
      block.text.clear();
      CsvWriter csv(block.text, formulas);
      const int64_t begin = (first + i) * kRowsOfBlock;
      write_rows(csv, begin, std::min(num_rows, begin + kRowsOfBlock));
      csv.finish();
      block.guarded = csv.num_guarded();
    });
    for (int64_t i = 0; i < count; ++i) {
      file.write(blocks[static_cast<size_t>(i)].text);
      guarded += blocks[static_cast<size_t>(i)].guarded;
    }
  }
  return guarded;
}

}  // namespace ordered_gnn::core
