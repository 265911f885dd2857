#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// What a user calls one attribute of a node: a column of a table with all the
/// features it became, or a single feature where there is no table.
struct Attribute {
  /// That of the column; else of the feature, or "feature 12" without names.
  std::string name;
  int64_t first_feature = 0;
  int64_t num_features = 1;
  int64_t column = -1;  ///< place in NodeDataset::columns; -1: no table
};

/// The attributes of a dataset in the order of their features; none for
/// identity features, which say which node it is and nothing about it.
/// @throws Error when the columns do not cover the features of the dataset, or
///         names are not one per feature.
std::vector<Attribute> attributes_of(const NodeDataset& data);

/// What a node's attribute is, in the unit of its column where features are as
/// the column made them (Treatment::Features::raw), else the stored numbers:
///
///   number    x * deviation + mean, undone to the column's scale, 6 digits
///   yes_no    the text of yes or no
///   category  the value, "another value", or "none" when no feature is set
///   date      YYYY-MM-DD
///
/// "missing" where the column flags it; a value that was filled in without a
/// flag cannot be told from one that was there.
/// @param node  in [0, N).
std::string attribute_text(const NodeDataset& data, const Attribute& attribute,
                           int64_t node);

}  // namespace ordered_gnn
