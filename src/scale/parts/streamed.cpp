#include "scale/parts/streamed.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "core/io/file.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/non_copyable.h"
#include "scale/parts/assign.h"
#include "scale/parts/list_store.h"
#include "scale/parts/stream_assigner.h"
#include "scale/parts/writer.h"

namespace ordered_gnn::scale {
namespace {

namespace fs = std::filesystem;

// A folder for a while; that of a killed run is taken over.
class WorkFolder : NonCopyable {
 public:
  explicit WorkFolder(fs::path path) : path_(std::move(path)) {
    core::remove_tree(path_);
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

// Who sends to a node, and to whom it sends.
struct Lists {
  ListStore in, out;

  void add(int64_t sender, int64_t receiver) {
    in.add(receiver, sender);
    out.add(sender, receiver);
  }
};

// The messages that Graph::from_edges() makes of edges.
void add_messages(GraphSource& source, const Treatment& treatment,
                  Lists& lists) {
  const int64_t nodes = source.nodes().num_nodes;
  const bool forward = treatment.direction != Direction::reversed;
  const bool backward = treatment.direction != Direction::as_stored;
  const bool drop_loops = treatment.self_loops != SelfLoops::keep;
  int64_t edge = 0;
  source.walk_edges([&](const at::Tensor& piece) {
    const at::Tensor ends = piece.contiguous();
    const int64_t* const first = ends.data_ptr<int64_t>();
    const int64_t* const second = first + ends.size(1);
    for (int64_t e = 0; e < ends.size(1); ++e, ++edge) {
      if (std::min(first[e], second[e]) < 0 ||
          std::max(first[e], second[e]) >= nodes) {
        fail("edge {} joins nodes {} and {}; nodes are 0 to {}", edge, first[e],
             second[e], nodes - 1);
      }
      if (first[e] == second[e] && drop_loops) continue;
      if (forward) lists.add(first[e], second[e]);
      if (backward) lists.add(second[e], first[e]);
    }
  });
  if (treatment.self_loops == SelfLoops::add) {
    for (int64_t v = 0; v < nodes; ++v) lists.add(v, v);
  }
  lists.in.sort();
  lists.out.sort();
}

// Calls see(v, begin, end) for the columns of every row of a store, in order.
template <typename See>
void for_rows(const ListStore& store, const See& see) {
  for (int64_t b = 0; b < store.num_buckets(); ++b) {
    const ListStore::Rows rows = store.read(b);
    for (int64_t r = 0; r < rows.size(); ++r) {
      see(rows.first + r, rows.column.data() + rows.rowptr[r],
          rows.column.data() + rows.rowptr[r + 1]);
    }
  }
}

Assignment walk_nodes(const Lists& lists, int64_t nodes, const int64_t* labels,
                      int64_t parts) {
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

Assignment assign_streamed(const Lists& lists, const RawDataset& nodes,
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

PartsManifest streamed_manifest(const GraphSource& source,
                                const StreamedCut& cut, const PartsPlan& plan,
                                int64_t edges) {
  const RawDataset& nodes = source.nodes();
  PartsManifest manifest;
  manifest.name = nodes.name;
  manifest.num_nodes = nodes.num_nodes;
  manifest.num_edges = edges;
  manifest.num_features = source.num_features();
  manifest.num_classes = nodes.num_classes;
  manifest.num_splits = static_cast<int64_t>(nodes.splits.size());
  manifest.split_set = nodes.split_set;
  manifest.class_names = nodes.class_names;
  manifest.feature_names = nodes.feature_names;
  manifest.treatment = cut.treatment;
  manifest.method = "stream";
  manifest.bounds = plan.bounds;
  manifest.parts.resize(cut.parts);
  return manifest;
}

// Writes lists of a run of parts, which are in memory meanwhile.
class ListCutter {
 public:
  ListCutter(const Lists& lists, const PartsPlan& plan, PartsWriter& writer,
             std::vector<PartSize>& sizes)
      : lists_(lists),
        plan_(plan),
        writer_(writer),
        sizes_(sizes),
        seen_by_(plan.original.numel(), -1) {}

  // All, as many at a time as have fewer entries than are allowed.
  void run(int64_t most_entries) {
    count_entries();
    const auto parts = static_cast<int64_t>(sizes_.size());
    for (int64_t first = 0; first < parts;) {
      int64_t last = first, entries = 0;
      do {
        entries += sizes_[last].in_edges + sizes_[last].out_edges;
        ++last;
      } while (last < parts &&
               entries + sizes_[last].in_edges + sizes_[last].out_edges <=
                   most_entries);
      write(first, last);
      first = last;
    }
  }

 private:
  struct Rows {
    std::vector<int64_t> rowptr = {0};
    std::vector<int64_t> column;
  };

  int64_t part_of(int64_t new_id) const {
    return std::upper_bound(plan_.bounds.begin(), plan_.bounds.end(), new_id) -
           plan_.bounds.begin() - 1;
  }

  void count_entries() {
    const int64_t* const new_id = plan_.new_id.data_ptr<int64_t>();
    const auto count = [&](const ListStore& store, int64_t PartSize::*size) {
      for_rows(store,
               [&](int64_t v, const uint32_t* begin, const uint32_t* end) {
                 sizes_[part_of(new_id[v])].*size += end - begin;
               });
    };
    count(lists_.in, &PartSize::in_edges);
    count(lists_.out, &PartSize::out_edges);
  }

  // Nodes of a part come in the order of their original ids, as its rows are.
  std::vector<Rows> rows_of(const ListStore& store, int64_t first,
                            int64_t last) const {
    const int64_t* const new_id = plan_.new_id.data_ptr<int64_t>();
    std::vector<Rows> rows(last - first);
    for_rows(store, [&](int64_t v, const uint32_t* begin, const uint32_t* end) {
      if (new_id[v] < plan_.bounds[first] || new_id[v] >= plan_.bounds[last]) {
        return;
      }
      Rows& own = rows[part_of(new_id[v]) - first];
      for (; begin < end; ++begin) own.column.push_back(new_id[*begin]);
      own.rowptr.push_back(static_cast<int64_t>(own.column.size()));
    });
    return rows;
  }

  // Nodes of other parts in its rows, each once, and the entries that name
  // them.
  std::pair<int64_t, int64_t> count_outside(const Rows& rows, int64_t part,
                                            int64_t mark) {
    int64_t halo = 0, cut = 0;
    for (const int64_t other : rows.column) {
      if (other >= plan_.bounds[part] && other < plan_.bounds[part + 1]) {
        continue;
      }
      ++cut;
      if (seen_by_[other] == mark) continue;
      seen_by_[other] = mark;
      ++halo;
    }
    return {halo, cut};
  }

  Adjacency adjacency(const Rows& rows) const {
    const bool narrow =
        plan_.original.numel() <= std::numeric_limits<int32_t>::max();
    const auto tensor = [](const std::vector<int64_t>& values) {
      at::Tensor out =
          at::empty({static_cast<int64_t>(values.size())}, at::kLong);
      std::copy(values.begin(), values.end(), out.data_ptr<int64_t>());
      return out;
    };
    return {tensor(rows.rowptr),
            tensor(rows.column).to(narrow ? at::kInt : at::kLong)};
  }

  void write(int64_t first, int64_t last) {
    std::vector<Rows> in = rows_of(lists_.in, first, last);
    std::vector<Rows> out = rows_of(lists_.out, first, last);
    for (int64_t p = first; p < last; ++p) {
      PartSize& size = sizes_[p];
      std::tie(size.in_halo, size.cut_edges) =
          count_outside(in[p - first], p, 2 * p);
      size.out_halo = count_outside(out[p - first], p, 2 * p + 1).first;
      writer_.add_lists(p, adjacency(in[p - first]), adjacency(out[p - first]));
      in[p - first] = out[p - first] = {};
    }
  }

  const Lists& lists_;
  const PartsPlan& plan_;
  PartsWriter& writer_;
  std::vector<PartSize>& sizes_;
  std::vector<int64_t> seen_by_;
};

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

void write_features(GraphSource& source, const StreamedCut& cut,
                    const Assignment& assignment, PartsWriter& writer) {
  // Row-normalising subtracts the least of all features first.
  float minimum = std::numeric_limits<float>::infinity();
  const bool normalize =
      cut.treatment.features == Treatment::Features::row_normalized;
  if (normalize) {
    source.walk_features([&](int64_t, const at::Tensor& rows) {
      minimum = std::min(minimum, row_minimum(NodeFeatures::dense(rows)));
    });
  }
  source.walk_features([&](int64_t first, const at::Tensor& rows) {
    const at::Tensor treated =
        normalize
            ? row_normalized(NodeFeatures::dense(rows), minimum).dense_values()
            : rows;
    std::map<int32_t, std::vector<int64_t>> places;
    for (int64_t r = 0; r < rows.size(0); ++r) {
      places[assignment[first + r]].push_back(r);
    }
    for (auto& [part, own] : places) {
      const at::Tensor select = at::from_blob(
          own.data(), {static_cast<int64_t>(own.size())}, at::kLong);
      writer.append_dense(part, treated.index_select(0, select));
    }
  });
}

void check_cut(const GraphSource& source, const StreamedCut& cut) {
  const int64_t nodes = source.nodes().num_nodes;
  if (cut.parts < 1 || cut.parts > nodes) {
    throw UsageError(
        fmt::format("--parts {}: '{}' has {} nodes, and every part needs one",
                    cut.parts, source.nodes().name, nodes));
  }
  if (cut.treatment.features == Treatment::Features::identity) {
    throw UsageError(
        "--features identity: parts that are written piece by "
        "piece have raw or row_normalized features");
  }
}

}  // namespace

PartsManifest write_streamed(GraphSource& source, const StreamedCut& given) {
  const RawDataset& nodes = source.nodes();
  StreamedCut cut = given;
  if (nodes.edges_are_undirected) {
    cut.treatment.direction = Direction::undirected;
  }
  check_cut(source, cut);
  const WorkFolder work(cut.folder.string() + ".lists");
  const int64_t about = nodes.num_nodes * 20;
  Lists lists{{work.path() / "in", nodes.num_nodes, about},
              {work.path() / "out", nodes.num_nodes, about}};
  add_messages(source, cut.treatment, lists);
  const Assignment assignment = assign_streamed(lists, nodes, cut.parts);
  const PartsPlan plan = make_plan(assignment, cut.parts);
  PartsWriter writer(
      cut.folder, streamed_manifest(source, cut, plan, lists.in.num_entries()),
      cut.replace);
  std::vector<PartSize> sizes(cut.parts);
  ListCutter(lists, plan, writer, sizes).run(cut.most_entries);
  writer.set_sizes(sizes);
  write_nodes(nodes, plan, writer);
  write_features(source, cut, assignment, writer);
  return writer.finish();
}

}  // namespace ordered_gnn::scale
