#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "data/formats/feature_rows.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

/// Reads the feature column of a Geom-GCN node file; geom_gcn.h states how the
/// two forms are told apart.
class GeomGcnFeatures {
 public:
  explicit GeomGcnFeatures(std::string_view header, SourceLine header_place);

  /// Adds the next row. @throws Error at `place`.
  void add_row(std::string_view field, const SourceLine& place);

  const FeatureRows& rows() const { return rows_; }
  int64_t num_features() const { return width_; }
  /// Width the header announced; -1 when it did not.
  int64_t announced_width() const { return announced_; }
  /// Rows in which an index occurs more than once.
  int64_t num_rows_with_repeats() const { return rows_with_repeats_; }

 private:
  enum class Form { unknown, values, indices };

  Form form_of_first_row(std::string_view field) const;
  void add_values(std::string_view field, const SourceLine& place);
  void add_indices(std::string_view field, const SourceLine& place);

  FeatureRows rows_;
  Form form_ = Form::unknown;
  int64_t announced_ = -1;
  int64_t width_ = 0;
  int64_t first_line_ = 0;
  int64_t rows_with_repeats_ = 0;
  std::vector<int64_t> indices_;  // of the current row, kept for its memory
};

}  // namespace ordered_gnn::data
