#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::training {

/// False when the option of run_option_table() can have no effect on a run with
/// these options: the model does not read it (ModelEntry::reads), or another
/// option has switched it off.
bool reads_option(const RunOptions& options, const std::string& name);

/// What to tell whoever gave these options: a sentence for each reason why a
/// run does not read some of them, such as "gcn does not read --heads; it reads
/// --layers, --hidden, ..."; empty when all have an effect.
std::vector<std::string> unread_options(const RunOptions& options,
                                        const std::vector<std::string>& given);

}  // namespace ordered_gnn::training
