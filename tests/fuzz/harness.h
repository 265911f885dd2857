#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::fuzz {

/// True when OGNN_FUZZ_STRICT is set: every input must then be read without an
/// Error. That is how `run` checks that the seeds still are valid files.
bool strict();

/// Runs one input. An Error is a fine answer to a damaged file; whatever else
/// escapes is a finding, and so is what the sanitizers report.
template <typename Body>
int run(const uint8_t* data, size_t size, const Body& body) {
  try {
    body(std::string_view(reinterpret_cast<const char*>(data), size));
  } catch (const Error&) {
    if (strict()) throw;
  }
  return 0;
}

/// Ends the program when `body` throws an Error, which would otherwise count as
/// a refused input.
template <typename Body>
void must_succeed(const char* what, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s: %s\n", what, error.what());
    std::abort();
  }
}

/// An empty folder below $TMPDIR, the same one for every input. Two fuzzers at
/// a time need a $TMPDIR each, which `run` gives them.
std::filesystem::path fresh_folder();

/// Writes `bytes` as `name` into a fresh folder.
std::filesystem::path write_input(std::string_view bytes,
                                  const std::string& name);

/// Writes the input's parts (see parts.h) as files into a fresh folder.
std::filesystem::path write_folder(std::string_view input);

/// Writes the input's parts as the entries of an intact `.npz`: the checksums
/// of a zip file would otherwise refuse nearly every damaged array unread.
std::filesystem::path write_npz(std::string_view input,
                                const std::string& name);

/// Loads as `--format FORMAT` does. What comes back must be valid, and must
/// turn into model input.
/// @throws Error when the loader refuses the files.
void load_dataset(const std::filesystem::path& path, const std::string& format);

}  // namespace ordered_gnn::fuzz
