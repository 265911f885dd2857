#pragma once
#include <string>
#include <string_view>

#include "fuzz/mutators/dice.h"

/// Changes of inputs that know the form of a file, so that what comes out gets
/// past the first checks of its reader. Each gives an empty text for an input
/// that it can do nothing with, and the same bytes for the same input and dice.
namespace ordered_gnn::fuzz {

/// A pickle, opcode by opcode: swapped, repeated, left out, with other numbers,
/// lengths and places in the memo.
std::string mutate_pickle(std::string_view input, Dice& dice);

/// A zip archive: entries with other content, names and order under right
/// checksums, sizes and offsets; then, in half of all cases, one field of a
/// header, the directory or the end record with another number.
std::string mutate_zip(std::string_view input, Dice& dice);

/// A safetensors file: offsets, shapes, types, names and metadata of its
/// header, keys that are there twice, under a right length.
std::string mutate_safetensors(std::string_view input, Dice& dice);

/// Values of a JSON text among the input's parts (see parts.h), or of one line
/// of a part of such lines.
std::string mutate_json_parts(std::string_view input, Dice& dice);

}  // namespace ordered_gnn::fuzz
