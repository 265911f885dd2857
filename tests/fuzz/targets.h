#pragma once
#include <string>
#include <string_view>

#include "fuzz/mutators/dice.h"

namespace ordered_gnn::fuzz {

/// A text or file from outside and how the program reads it.
struct Target {
  const char* name;
  /// Reads the input as the program would. An Error is a fine answer to a
  /// damaged one; whatever else escapes is a finding.
  void (*read)(std::string_view input);
  /// Changes inputs by their form, see mutators.h. Null: by libFuzzer alone.
  std::string (*mutate)(std::string_view input, Dice& dice) = nullptr;
};

/// The target of a name, for which the table in targets.cpp has a line; null
/// when there is none.
const Target* find_target(std::string_view name);

void try_added_nodes(std::string_view input);
void try_change_log(std::string_view input);
void try_checkpoint(std::string_view input);
void try_checksums(std::string_view input);
void try_columns(std::string_view input);
void try_command_line(std::string_view input);
void try_comparison(std::string_view input);
void try_connection(std::string_view input);
void try_csv(std::string_view input);
void try_geom_gcn(std::string_view input);
void try_geom_gcn_split(std::string_view input);
void try_http(std::string_view input);
void try_latent(std::string_view input);
void try_lines(std::string_view input);
void try_node_data(std::string_view input);
void try_npy(std::string_view input);
void try_npz_dataset(std::string_view input);
void try_npz(std::string_view input);
void try_ogb(std::string_view input);
void try_parts_folder(std::string_view input);
void try_pickle(std::string_view input);
void try_planetoid(std::string_view input);
void try_recipe(std::string_view input);
void try_request(std::string_view input);
void try_results(std::string_view input);
void try_run_folder(std::string_view input);
void try_run_log(std::string_view input);
void try_safetensors(std::string_view input);
void try_sparse_npz(std::string_view input);
void try_split_dictionaries(std::string_view input);
void try_split_file(std::string_view input);
void try_state_folder(std::string_view input);
void try_sweep_folder(std::string_view input);
void try_sweep(std::string_view input);
void try_tables(std::string_view input);
void try_training_state(std::string_view input);
void try_unpack(std::string_view input);
void try_wiki_cs(std::string_view input);

}  // namespace ordered_gnn::fuzz
