#pragma once
#include "lab/serve/service.h"

namespace ordered_gnn::fuzz {

/// A model and its graph as files, really made, and how they are served: twelve
/// nodes called by their numbers, three features, two classes. The folder that
/// keeps changes is empty after every call.
lab::ServiceSettings served_sample();

}  // namespace ordered_gnn::fuzz
