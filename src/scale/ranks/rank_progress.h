#pragma once
#include "scale/ranks/watch.h"

namespace ordered_gnn::scale {

/// How far this process is: written by its passes, read by its watch.
RankProgress& rank_progress();

}  // namespace ordered_gnn::scale
