#pragma once
#include <cstdint>

#include "core/io/pickle/pickle.h"
#include "ordered_gnn/core/features.h"

namespace ordered_gnn::core {

struct CsrMatrix {
  SparseRows rows;
  int64_t num_rows = 0;
  int64_t num_columns = 0;
};

/// A SciPy `csr_matrix` of numbers, values as float32. Columns of a row may
/// come in any order and are sorted; entries of one place are added up, which
/// is what SciPy takes them to mean. Zeros that are stored stay entries.
/// @throws Error naming the file and the row when `indptr` falls, does not
///         match the shape or the number of entries, a column is outside or
///         a value is not finite in float32.
CsrMatrix csr_from_pickle(const PickleValue& value);

}  // namespace ordered_gnn::core
