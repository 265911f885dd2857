#pragma once

namespace ordered_gnn::cli {

/// `ognn` with these words, the first of which is its own name.
/// @return the exit status: 0 done, 1 failed, 2 wrong usage. A run that was
///         interrupted ends the process by the signal it got.
int run_program(int argc, char** argv);

}  // namespace ordered_gnn::cli
