#include "scale/parts/streamed.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "scale/parts/assign.h"
#include "scale/parts/streamed_writer.h"
#include "scale/parts/writer.h"

namespace ordered_gnn::scale {
namespace {

using data::GraphSource;

// Bytes of an entry while buckets of both sides are open, sorted or cut.
constexpr int64_t kEntryBytes = 32;
constexpr int64_t kLeastBuffer = int64_t{64} << 20;
constexpr int64_t kMostBuffer = int64_t{1} << 30;

// Labels, part, both ids, marks of two halo counters, and splits.
int64_t node_bytes(const RawDataset& nodes, const StreamedCut& cut) {
  const auto splits = static_cast<int64_t>(nodes.splits.size());
  const int64_t counters = cut.ranks == cut.parts ? 1 : 2;
  return nodes.num_nodes * (28 + 16 * counters + splits);
}

// What may be used for buckets.
int64_t buffer_bytes(const RawDataset& nodes, const StreamedCut& cut) {
  const int64_t own = node_bytes(nodes, cut);
  require_memory(own + kLeastBuffer, nodes.name,
                 fmt::format("cutting a graph of {} nodes piece by piece",
                             nodes.num_nodes));
  if (cut.buffer > 0) return cut.buffer;
  const int64_t left = memory_left(own + kMostBuffer).bytes;
  if (left <= 0) return kMostBuffer;
  return std::clamp((left - own) / 2, kLeastBuffer, kMostBuffer);
}

// Parts whose files of features may be open at a time, beside what else is.
int64_t most_open_parts() {
  constexpr int64_t kOthers = 64;
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 ||
      limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<int64_t>::max();
  }
  return static_cast<int64_t>(limit.rlim_cur) - kOthers;
}

// Before anything is read, or deleted to be replaced.
void check_cut(GraphSource& source, const StreamedCut& cut) {
  const RawDataset& nodes = source.nodes();
  require_part_count(cut.parts);
  if (cut.parts > nodes.num_nodes) {
    throw UsageError(
        fmt::format("--parts {}: '{}' has {} nodes, and every part needs one",
                    cut.parts, nodes.name, nodes.num_nodes));
  }
  require_ranks(cut.parts, cut.ranks);
  require_free_folder(cut.folder, cut.replace);
  const std::string why = why_not_streamed(source, cut);
  if (!why.empty()) throw UsageError(why);
  if (source.has_edge_weights() &&
      cut.treatment.edge_weights == Treatment::EdgeWeights::use) {
    fail(
        "'{}' has weights of edges, which parts do not hold; --edge-weights "
        "ignore leaves them out",
        nodes.name);
  }
}

}  // namespace

std::string why_not_streamed(GraphSource& source, const StreamedCut& cut) {
  // Files may recommend it where nothing was chosen.
  if (streamed_treatment(cut.treatment, source.nodes(), 0).features ==
      Treatment::Features::identity) {
    return "--features identity: parts that are written piece by piece have "
           "raw or row_normalized features";
  }
  if (cut.parts > most_open_parts()) {
    return fmt::format(
        "--parts {}: a file of every part is open while features are written "
        "piece by piece, and this process may have {}; 'ulimit -n' allows more",
        cut.parts, std::max<int64_t>(most_open_parts(), 0));
  }
  return "";
}

StreamedParts write_streamed(GraphSource& source, const StreamedCut& given) {
  StreamedCut cut = given;
  // The lists of "g.parts/" are beside it, too.
  if (!cut.folder.has_filename()) cut.folder = cut.folder.parent_path();
  if (cut.ranks < 1) cut.ranks = cut.parts;
  check_cut(source, cut);
  const int64_t entries = buffer_bytes(source.nodes(), cut) / kEntryBytes;
  return StreamedWriter(source, cut, entries).run();
}

}  // namespace ordered_gnn::scale
