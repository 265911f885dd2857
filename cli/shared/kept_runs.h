#pragma once
#include <filesystem>
#include <string>

namespace ordered_gnn::cli {

/// What a training run that is stopped now leaves in its folder, and the
/// command that goes on with it.
/// @param folder   of --out; empty when there is none.
/// @param options  words that the command needs besides --out and --resume.
/// @param saved    whether splits under way have just saved their state.
std::string kept_of_training(const std::filesystem::path& folder,
                             const std::string& options, bool saved);

/// The same for a sweep, a comparison or a reproduction, which go on when their
/// command is given again.
/// @param saved  whether runs under way have just saved their state.
std::string kept_of_runs(const std::filesystem::path& folder, bool saved);

}  // namespace ordered_gnn::cli
