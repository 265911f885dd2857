#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

/// Form of the splits that are drawn where a dataset has none and nobody says
/// which: stratified:60/20/20xCOUNT. Files that are trained on get one split,
/// which a practitioner wants; arrays in memory get ten, see make_dataset().
std::string default_split_form(int64_t count);

/// Draws splits of the labelled nodes, see parse_random_splits(), and names
/// them in `split_set`. A class that some split does not train on is noted.
/// @throws UsageError for another form; Error when there are too few labelled
///         nodes, with their number in each class and what to do.
void draw_splits(const std::string& form, uint64_t seed, RawDataset& raw);

/// draw_splits() of one split of the default form, for data that came without
/// any; a note says so.
/// @return the form.
std::string draw_missing_splits(uint64_t seed, RawDataset& raw);

/// What there is to tell whoever trains on this: the notes of the functions
/// above.
std::vector<std::string> drawn_split_notes(const NodeDataset& data);

}  // namespace ordered_gnn::data
