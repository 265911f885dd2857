#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/train/trained.h"

namespace ordered_gnn::training {

/// The part of require_fit() that is about features and nodes.
void require_inputs(const Trained& trained, const NodeDataset& data,
                    const std::filesystem::path& where);

/// True for equal lists of names, none being the same as 0 .. C-1.
bool same_classes(const std::vector<std::string>& a,
                  const std::vector<std::string>& b);

/// True when the data counts its classes as the model does.
bool has_classes_of(const Trained& trained, const NodeDataset& data);

/// "a, b, c and 7 more"; "0 to 9" for none of `count` names.
std::string class_list(const std::vector<std::string>& names, int64_t count);

}  // namespace ordered_gnn::training
