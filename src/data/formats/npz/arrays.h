#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/npy/npz.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

/// Runs `body`, putting the file's name before the message of any Error.
template <typename Body>
auto in_file(const std::filesystem::path& file, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    fail_in(file, error.what());
  }
}

/// "[3, 2]", for errors.
std::string shape_of(const at::Tensor& values);

/// True for an `.npz` file that has all of the arrays.
/// @throws Error when a file of that name is no intact archive.
bool is_npz_with(const std::filesystem::path& file,
                 const std::vector<std::string>& names);

/// "graph.npz:edges", for errors.
std::string array_place(const core::NpzReader& archive,
                        const std::string& name);

/// An integer array as int64. @throws Error naming the file and the array.
at::Tensor read_integers(const core::NpzReader& archive,
                         const std::string& name);

/// The same, of one dimension.
at::Tensor read_integer_list(const core::NpzReader& archive,
                             const std::string& name);

/// Numbers of any type as float32. Both conversions throw Error when there is
/// no memory for them.
at::Tensor read_floats(const core::NpzReader& archive, const std::string& name);

/// [2, E] from [E, 2] int64: what Tensor::t().contiguous() gives, faster.
/// @throws Error at `place` when there is no memory for it.
at::Tensor transposed_pairs(const at::Tensor& pairs, const std::string& place);

/// Number `index` of an integer array. @throws Error when it has fewer.
int64_t read_count(const core::NpzReader& archive, const std::string& name,
                   int64_t index);

}  // namespace ordered_gnn::data
