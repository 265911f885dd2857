#pragma once
#include <CLI/CLI.hpp>
#include <string>

#include "core/io/npy/npz.h"
#include "shared/arguments.h"

namespace ordered_gnn::cli {

/// Each adds one subcommand of `ognn data`; see commands.h.
void add_data_list(CLI::App& data);
void add_data_info(CLI::App& data);
void add_data_generate(CLI::App& data);
void add_data_convert(CLI::App& data);
void add_data_import(CLI::App& data);
void add_data_verify(CLI::App& data);
void add_data_fetch(CLI::App& data);

/// Settings of a command that reads one dataset, named by the positional word
/// `spec` or by --data.
/// @throws UsageError when neither or two different ones are given.
RunOptions data_options(const RunArguments& arguments, const std::string& spec);

/// Flags of a command that writes a dataset, and --max-memory.
struct WritingFlags : OutputFlags {
  bool compress = false;
  bool force = false;
};
void add_writing_flags(CLI::App& command, WritingFlags& flags,
                       const std::string& quiet_help);

/// What --compress stands for.
core::NpzWriter::Compression npz_compression(bool compress);

/// Says on standard output what a dataset file that was just written holds:
/// one line, or its statistics as a JSON object.
void print_written(const RawDataset& raw, const std::string& out, bool json);

}  // namespace ordered_gnn::cli
