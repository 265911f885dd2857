#pragma once
#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/io/pickle/pickle.h"

namespace ordered_gnn::core {

/// A NumPy array of numbers as a row-major tensor. Element types, byte orders
/// and Fortran order as read_npy() has them; the number of bytes must be what
/// the shape says.
/// @throws Error naming the file and what is wrong with the array.
at::Tensor array_from_pickle(const PickleValue& value);

/// True for what array_from_pickle() or objects_from_pickle() may read.
bool is_pickled_array(const PickleValue& value);

/// The elements of a one-dimensional NumPy array of Python objects.
/// @throws Error as above.
std::vector<PickleValue> objects_from_pickle(const PickleValue& value);

/// True for an object made by this constructor, see pickle_constructors.h.
bool is_made_by(const PickleValue& value, std::string_view constructor);

/// What a value is, for messages.
std::string describe_pickled(const PickleValue& value);

}  // namespace ordered_gnn::core
