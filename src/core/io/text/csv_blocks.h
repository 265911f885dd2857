#pragma once
#include <cstdint>
#include <functional>

#include "core/io/file.h"
#include "core/io/text/csv_writer.h"

namespace ordered_gnn::core {

/// Appends `num_rows` lines to a file: blocks of them are made on all threads
/// and written in their order, so that the bytes are those of one CsvWriter
/// that makes line after line. Memory is bound by the threads, not by the rows.
/// @param write_rows  writes lines begin to end - 1 and ends each; called on
///                    any thread, for several blocks at a time.
/// @return  texts that were given an apostrophe, see CsvWriter::num_guarded().
/// @throws Error when the file cannot be written.
int64_t write_csv_rows(AtomicFile& file, FormulaText formulas, int64_t num_rows,
                       const std::function<void(CsvWriter& csv, int64_t begin,
                                                int64_t end)>& write_rows);

}  // namespace ordered_gnn::core
