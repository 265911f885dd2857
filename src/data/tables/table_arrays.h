#pragma once
#include <functional>
#include <nlohmann/json.hpp>

#include "core/io/npy/npz.h"
#include "data/tables/table.h"

namespace ordered_gnn::data {

/// A table in an `.npz`: `table_numbers` [K, N] float64 (number and date),
/// `table_codes` [K, N] int32 (category and yes_no), and in meta.json a list of
/// the columns with name, kind and values.
nlohmann::json table_json(const Table& table);
void add_table(core::NpzWriter& archive, const Table& table);

/// @param json  what table_json() gave.
/// @throws Error when arrays are missing or do not fit the description.
Table read_table_arrays(const core::NpzReader& archive,
                        const nlohmann::json& json, int64_t num_rows);

}  // namespace ordered_gnn::data
