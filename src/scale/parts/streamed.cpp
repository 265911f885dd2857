#include "scale/parts/streamed.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "core/affixes.h"
#include "core/io/file.h"
#include "core/io/folder.h"
#include "data/fingerprint.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/non_copyable.h"
#include "scale/parts/assign.h"
#include "scale/parts/list_cutter.h"
#include "scale/parts/row_spool.h"
#include "scale/parts/stream_assigner.h"
#include "scale/parts/writer.h"

namespace ordered_gnn::scale {
namespace {

namespace fs = std::filesystem;
using data::GraphSource;

constexpr const char* kSpoolFile = "features.bin";
constexpr const char* kInLists = "in";
constexpr const char* kOutLists = "out";

bool is_work_file(const std::string& name) {
  return name == kSpoolFile ||
         core::starts_with(name, std::string(kInLists) + "-") ||
         core::starts_with(name, std::string(kOutLists) + "-");
}

// Whether there is nothing, or only what a killed run has left.
bool is_free_for_work(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::symlink_status(path, ignored);
  if (!fs::exists(status)) return true;
  if (!fs::is_directory(status)) return false;
  const std::vector<fs::path> entries = core::entries_of(path);
  return std::all_of(entries.begin(), entries.end(), [](const fs::path& entry) {
    return is_work_file(entry.filename().string());
  });
}

// A folder for a while; that of a killed run is taken over.
class WorkFolder : NonCopyable {
 public:
  explicit WorkFolder(fs::path path) : path_(std::move(path)) {
    if (!is_free_for_work(path_)) {
      fail_in(path_,
              "is there and holds what is not ours, and lists are sorted in a "
              "folder of this name; choose another --out");
    }
    if (!core::remove_tree(path_)) {
      fail_in(path_, "cannot be replaced: it could not be deleted");
    }
    std::error_code failed;
    if (!fs::create_directory(path_, failed)) {
      fail_in(path_, "cannot be made: " + failed.message());
    }
  }
  ~WorkFolder() { core::remove_tree(path_); }
  const fs::path& path() const { return path_; }

 private:
  const fs::path path_;
};

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

Treatment resolved(const TreatmentChoice& choice, const RawDataset& nodes,
                   float minimum) {
  RawDataset alike;
  alike.recommended = nodes.recommended;
  alike.table = nodes.table;
  alike.features = NodeFeatures::dense(at::full({1, 1}, minimum));
  Treatment treatment = resolve_treatment(choice, alike);
  if (nodes.edges_are_undirected) treatment.direction = Direction::undirected;
  return treatment;
}

// Whether what is to be done with features depends on the least of all.
bool needs_minimum(const TreatmentChoice& choice, const RawDataset& nodes) {
  const bool is_chosen = choice.features || nodes.recommended || nodes.table;
  return !is_chosen || resolved(choice, nodes, 0).features ==
                           Treatment::Features::row_normalized;
}

// The messages that Graph::from_edges() makes of edges.
class MessageAdder {
 public:
  MessageAdder(int64_t nodes, const Treatment& treatment, StoredLists& lists)
      : nodes_(nodes),
        forward_(treatment.direction != Direction::reversed),
        backward_(treatment.direction != Direction::as_stored),
        drops_loops_(treatment.self_loops != SelfLoops::keep),
        adds_loops_(treatment.self_loops == SelfLoops::add),
        lists_(lists) {}

  void add(const at::Tensor& piece) {
    const at::Tensor ends = piece.contiguous();
    const int64_t* const first = ends.data_ptr<int64_t>();
    const int64_t* const second = first + ends.size(1);
    for (int64_t e = 0; e < ends.size(1); ++e, ++edge_) {
      if (std::min(first[e], second[e]) < 0 ||
          std::max(first[e], second[e]) >= nodes_) {
        fail("edge {} joins nodes {} and {}; nodes are 0 to {}", edge_,
             first[e], second[e], nodes_ - 1);
      }
      if (first[e] == second[e] && drops_loops_) continue;
      if (forward_) lists_.add(first[e], second[e]);
      if (backward_) lists_.add(second[e], first[e]);
    }
  }

  void finish() {
    if (adds_loops_) {
      for (int64_t v = 0; v < nodes_; ++v) lists_.add(v, v);
    }
    lists_.in.sort();
    lists_.out.sort();
  }

 private:
  const int64_t nodes_;
  const bool forward_, backward_, drops_loops_, adds_loops_;
  StoredLists& lists_;
  int64_t edge_ = 0;
};

Assignment walk_nodes(const StoredLists& lists, int64_t nodes,
                      const int64_t* labels, int64_t parts) {
  StreamAssigner assigner(nodes, lists.in.num_entries(), labels, parts);
  for (int walk = 0; walk < StreamAssigner::kWalks; ++walk) {
    for (int64_t b = 0; b < lists.in.num_buckets(); ++b) {
      const ListStore::Rows in = lists.in.read(b);
      const ListStore::Rows out = lists.out.read(b);
      for (int64_t r = 0; r < in.size(); ++r) {
        const int64_t v = in.first + r;
        for (const ListStore::Rows* rows : {&in, &out}) {
          for (int64_t e = rows->rowptr[r]; e < rows->rowptr[r + 1]; ++e) {
            assigner.add_neighbour(v, rows->column[e]);
          }
        }
        assigner.place(v, in.rowptr[r + 1] - in.rowptr[r]);
      }
    }
  }
  return assigner.take();
}

Assignment assign_streamed(const StoredLists& lists, const RawDataset& nodes,
                           int64_t parts) {
  if (parts == 1) return Assignment(nodes.num_nodes, 0);
  const at::Tensor labels = nodes.labels.contiguous();
  Assignment assignment =
      walk_nodes(lists, nodes.num_nodes, labels.data_ptr<int64_t>(), parts);
  fill_empty_parts(parts, assignment);
  PartMessages between(parts);
  for_rows(lists.in,
           [&](int64_t v, const uint32_t* begin, const uint32_t* end) {
             for (; begin < end; ++begin) {
               count_message(assignment[v], assignment[*begin], between);
             }
           });
  order_parts(between, assignment);
  return assignment;
}

void write_nodes(const RawDataset& nodes, const PartsPlan& plan,
                 PartsWriter& writer) {
  const at::Tensor marks = split_marks(nodes.splits, nodes.num_nodes);
  for (size_t p = 0; p + 1 < plan.bounds.size(); ++p) {
    const at::Tensor original = plan.original.narrow(
        0, plan.bounds[p], plan.bounds[p + 1] - plan.bounds[p]);
    writer.add_nodes(static_cast<int64_t>(p),
                     nodes.labels.index_select(0, original),
                     marks.index_select(1, original), original);
  }
}

// Rows of consecutive nodes, each to the file of its part.
void append_rows(int64_t first, const at::Tensor& rows,
                 const Assignment& assignment, PartsWriter& writer) {
  std::map<int32_t, std::vector<int64_t>> places;
  for (int64_t r = 0; r < rows.size(0); ++r) {
    places[assignment[first + r]].push_back(r);
  }
  for (auto& [part, own] : places) {
    const at::Tensor select = at::from_blob(
        own.data(), {static_cast<int64_t>(own.size())}, at::kLong);
    writer.append_dense(part, rows.index_select(0, select));
  }
}

// One cut from its source to its folder.
class StreamedWriter {
 public:
  StreamedWriter(GraphSource& source, const StreamedCut& cut)
      : source_(source),
        nodes_(source.nodes()),
        cut_(cut),
        entries_(buffer_bytes(nodes_, cut) / kEntryBytes),
        work_(cut.folder.string() + ".lists"),
        fingerprint_(source.num_edges()) {}

  StreamedParts run() {
    float minimum = 0;
    if (needs_minimum(cut_.treatment, nodes_) || !source_.rows_are_in_order()) {
      minimum = spool_features();
    }
    treatment_ = resolved(cut_.treatment, nodes_, minimum);
    StoredLists lists = store_lists();
    const Assignment assignment = assign_streamed(lists, nodes_, cut_.parts);
    const PartsPlan plan = make_plan(assignment, cut_.parts);
    PartsWriter writer(cut_.folder, manifest(plan, lists.in.num_entries()),
                       cut_.replace);
    StreamedParts result;
    write_lists(lists, plan, result, writer);
    write_nodes(nodes_, plan, writer);
    write_features(assignment, minimum, writer);
    writer.set_data_fingerprint(
        fingerprint_.finish(nodes_, source_.num_features()));
    result.manifest = writer.finish();
    return result;
  }

 private:
  // The least of all features.
  float spool_features() {
    spool_.emplace(work_.path() / kSpoolFile, nodes_.num_nodes,
                   source_.num_features());
    float minimum = std::numeric_limits<float>::infinity();
    source_.walk_features([&](const at::Tensor& nodes, const at::Tensor& rows) {
      minimum = std::min(minimum, row_minimum(NodeFeatures::dense(rows)));
      spool_->put(nodes, rows);
    });
    return minimum;
  }

  StoredLists store_lists() {
    const int64_t both = treatment_.direction == Direction::undirected ? 2 : 1;
    const int64_t about = source_.num_edges() * both + nodes_.num_nodes;
    StoredLists lists{
        {work_.path() / kInLists, nodes_.num_nodes, about, entries_},
        {work_.path() / kOutLists, nodes_.num_nodes, about, entries_}};
    MessageAdder messages(nodes_.num_nodes, treatment_, lists);
    source_.walk_edges([&](const at::Tensor& edges, const at::Tensor& weights) {
      fingerprint_.add_edges(edges, weights);
      messages.add(edges);
    });
    messages.finish();
    return lists;
  }

  PartsManifest manifest(const PartsPlan& plan, int64_t edges) const {
    PartsManifest manifest;
    manifest.name = nodes_.name;
    manifest.num_nodes = nodes_.num_nodes;
    manifest.num_edges = edges;
    manifest.num_features = source_.num_features();
    manifest.num_classes = nodes_.num_classes;
    manifest.num_splits = static_cast<int64_t>(nodes_.splits.size());
    manifest.split_set = nodes_.split_set;
    manifest.class_names = nodes_.class_names;
    manifest.feature_names = nodes_.feature_names;
    manifest.columns = nodes_.columns;
    manifest.treatment = treatment_;
    manifest.method = "stream";
    manifest.bounds = plan.bounds;
    manifest.parts.resize(cut_.parts);
    return manifest;
  }

  void write_lists(const StoredLists& lists, const PartsPlan& plan,
                   StreamedParts& result, PartsWriter& writer) const {
    const at::Tensor trained = nodes_.splits.empty() ? at::empty({0}, at::kLong)
                                                     : nodes_.splits[0].train;
    HaloCounter of_parts(plan, cut_.parts, trained);
    std::vector<HaloCounter*> counters = {&of_parts};
    std::optional<HaloCounter> of_ranks;
    if (cut_.ranks != cut_.parts) {
      of_ranks.emplace(plan, cut_.ranks, trained);
      counters.push_back(&*of_ranks);
    }
    writer.set_sizes(cut_stored_lists(lists, plan, entries_, counters, writer));
    result.all_parts = of_parts.rows();
    result.halo = counters.back()->rows();
  }

  void write_features(const Assignment& assignment, float minimum,
                      PartsWriter& writer) {
    const bool normalizes =
        treatment_.features == Treatment::Features::row_normalized;
    const auto write = [&](int64_t first, const at::Tensor& rows) {
      fingerprint_.add_features(rows);
      append_rows(first,
                  normalizes
                      ? row_normalized(NodeFeatures::dense(rows), minimum)
                            .dense_values()
                      : rows,
                  assignment, writer);
    };
    if (spool_) {
      spool_->walk(write);
      return;
    }
    source_.walk_features([&](const at::Tensor& nodes, const at::Tensor& rows) {
      write(nodes[0].item<int64_t>(), rows);
    });
  }

  GraphSource& source_;
  const RawDataset& nodes_;
  const StreamedCut& cut_;
  const int64_t entries_;  ///< of lists, in memory at a time
  const WorkFolder work_;
  std::optional<RowSpool> spool_;
  data::StreamedFingerprint fingerprint_;
  Treatment treatment_;
};

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
  if (resolved(cut.treatment, source.nodes(), 0).features ==
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
  return StreamedWriter(source, cut).run();
}

}  // namespace ordered_gnn::scale
