#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ordered_gnn {

/// What a column of a table of nodes holds.
enum class ColumnKind {
  number,
  category,  ///< one of a few texts
  yes_no,    ///< one of two texts that mean yes and no
  date,
  text,  ///< free text or identifiers: never a feature
};
/// Names as options and files spell them, for example "yes_no".
std::string to_string(ColumnKind kind);
/// @throws UsageError that lists the known names.
ColumnKind parse_column_kind(const std::string& name);

/// How one column of a table becomes features: fitted once, on the table that
/// a model is trained on, and applied as it is to every later one.
///
///   number    (s(x) - mean) / deviation                             1 feature
///             with s(x) = sign(x) log(1 + |x|) where log_scaled, else x
///   yes_no    1 for yes, 0 for no                                   1 feature
///   category  1 for the value itself, 0 for the others; a value that is not
///             among `categories` is "other" where has_other, else all are 0
///   date      days since 1970-01-01 as a number; sine and cosine of the day
///             of the year                                           3 features
///   text      left out                                              0 features
///
/// A missing number or date is taken as `fill`, a missing yes_no as 0.5, a
/// missing category as none; one more feature, 1 where the value is missing,
/// follows where flags_missing.
struct Column {
  std::string name;
  ColumnKind kind = ColumnKind::number;
  bool log_scaled = false;
  double mean = 0;       ///< of s(x); of days for dates
  double deviation = 1;  ///< above 0
  double fill = 0;       ///< the median, in the unit of the column
  bool flags_missing = false;
  /// Of a category, in rising order; of yes_no the two texts, no then yes.
  std::vector<std::string> categories;
  bool has_other = false;
  int64_t first_feature = 0;  ///< position among all features
  int64_t num_features = 0;
};

/// What to do with columns that a treatment and a table do not share.
enum class MissingColumns {
  error,
  fill,  ///< a missing column counts as missing values, an extra is left out
};

/// The names of all features in order: "age", "colour = red", "joined (days)",
/// "age is missing".
std::vector<std::string> feature_names(const std::vector<Column>& columns);

}  // namespace ordered_gnn
