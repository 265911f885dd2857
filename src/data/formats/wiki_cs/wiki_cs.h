#pragma once
#include <filesystem>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"

namespace ordered_gnn::data {

/// Reads the one file of Wiki-CS, `data.json`, plain or gzipped, or a folder
/// that holds it, itself or in raw/. Its object has
///   features  N lists of F numbers
///   labels    N integers, -1 = unlabelled; classes are 0 .. largest label
///   links     N lists of the nodes that a node links to: directed edges
///   train_masks, val_masks  S lists of N flags, and test_mask N of them; all
///             three or none
///   stopping_masks          S lists of N flags, if at all
/// Other keys are not read. A split's val part is both the nodes for choosing
/// settings (val_masks) and those for stopping (stopping_masks), as the papers
/// do that stop and choose by one part.
///
/// @throws Error naming the file and the key.
RawDataset load_wiki_cs(const std::filesystem::path& path,
                        const LoadOptions& options = {});

/// True for a file called data.json or data.json.gz and a folder with one.
bool is_wiki_cs(const std::filesystem::path& path);

}  // namespace ordered_gnn::data
