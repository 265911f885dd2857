#include "fuzz/targets.h"

#include "fuzz/mutators/mutators.h"

namespace ordered_gnn::fuzz {
namespace {

constexpr Target kTargets[] = {
    {"added_nodes", &try_added_nodes},
    {"change_log", &try_change_log},
    {"checkpoint", &try_checkpoint, &mutate_json_parts},
    {"checksums", &try_checksums},
    {"columns", &try_columns, &mutate_json_parts},
    {"command_line", &try_command_line},
    {"comparison", &try_comparison, &mutate_json_parts},
    {"connection", &try_connection},
    {"csv", &try_csv, &mutate_json_parts},
    {"geom_gcn", &try_geom_gcn},
    {"geom_gcn_split", &try_geom_gcn_split},
    {"http", &try_http},
    {"latent", &try_latent, &mutate_safetensors},
    {"lines", &try_lines},
    {"node_data", &try_node_data, &mutate_json_parts},
    {"npy", &try_npy},
    {"npz_dataset", &try_npz_dataset, &mutate_json_parts},
    {"npz", &try_npz, &mutate_zip},
    {"ogb", &try_ogb},
    {"parts_folder", &try_parts_folder, &mutate_json_parts},
    {"pickle", &try_pickle, &mutate_pickle},
    {"planetoid", &try_planetoid},
    {"recipe", &try_recipe, &mutate_json_parts},
    {"request", &try_request, &mutate_json_parts},
    {"results", &try_results, &mutate_json_parts},
    {"run_folder", &try_run_folder, &mutate_json_parts},
    {"run_log", &try_run_log, &mutate_json_parts},
    {"safetensors", &try_safetensors, &mutate_safetensors},
    {"sparse_npz", &try_sparse_npz},
    {"split_dictionaries", &try_split_dictionaries},
    {"split_file", &try_split_file},
    {"state_folder", &try_state_folder},
    {"sweep_folder", &try_sweep_folder, &mutate_json_parts},
    {"sweep", &try_sweep, &mutate_json_parts},
    {"tables", &try_tables},
    {"training_state", &try_training_state, &mutate_json_parts},
    {"unpack", &try_unpack, &mutate_zip},
    {"wiki_cs", &try_wiki_cs, &mutate_json_parts},
};

}  // namespace

const Target* find_target(std::string_view name) {
  for (const Target& target : kTargets) {
    if (name == target.name) return &target;
  }
  return nullptr;
}

}  // namespace ordered_gnn::fuzz
