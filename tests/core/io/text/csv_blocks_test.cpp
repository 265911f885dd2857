#include "core/io/text/csv_blocks.h"

#include <gtest/gtest.h>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::core {
namespace {

void write_lines(CsvWriter& csv, int64_t begin, int64_t end) {
  for (int64_t r = begin; r < end; ++r) {
    csv.field(r);
    csv.field(static_cast<double>(r) / 7, 7);
    csv.field(r % 100 == 0 ? "=a,b" : "plain");
    csv.end_line();
  }
}

TEST(CsvBlocks, BytesAreThoseOfOneWriterForAnyNumberOfThreads) {
  const TempDir dir;
  for (const int64_t rows : {0, 1, 4096, 4097, 100000}) {
    std::string expected;
    CsvWriter csv(expected, FormulaText::guarded);
    write_lines(csv, 0, rows);
    csv.finish();
    for (const int64_t threads : {1, 2, 5}) {
      const ThreadScope scope(threads);
      AtomicFile file(dir / "t.csv");
      const int64_t guarded =
          write_csv_rows(file, FormulaText::guarded, rows, write_lines);
      file.commit();
      EXPECT_EQ(guarded, csv.num_guarded());
      EXPECT_TRUE(read_file(dir / "t.csv") == expected) << rows;
    }
  }
}

TEST(CsvBlocks, AnErrorOfARowLeavesNoFile) {
  const TempDir dir;
  const auto write = [&] {
    AtomicFile file(dir / "t.csv");
    write_csv_rows(file, FormulaText::kept, 8000,
                   [](CsvWriter&, int64_t begin, int64_t) {
                     if (begin > 0) fail("row {}", begin);
                   });
    file.commit();
  };
  EXPECT_EQ(error_of(write), "row 4096");
  EXPECT_FALSE(std::filesystem::exists(dir / "t.csv"));
}

}  // namespace
}  // namespace ordered_gnn::core
