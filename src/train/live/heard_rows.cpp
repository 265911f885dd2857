#include "train/live/heard_rows.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "core/weighted_rows.h"
#include "data/formats/tensor_of.h"

namespace ordered_gnn::training {
namespace {

double degree_of(const core::ListTable::Row& list) {
  return core::weighted_degree(list.value, list.size());
}

// The lists of some rows among those that are heard; rows that only send have
// none.
struct HeardLists {
  Adjacency in;
  std::vector<float> weights;  // of a graph with weights
};

HeardLists lists_of(const core::ListTable& in, const std::vector<int64_t>& rows,
                    const std::vector<int64_t>& heard,
                    const std::vector<int32_t>& place_of) {
  int64_t entries = 0;
  for (const int64_t r : rows) entries += in.row(r).size();
  HeardLists out{
      {at::zeros({static_cast<int64_t>(heard.size()) + 1}, at::kLong),
       at::empty({entries}, at::kInt)},
      {}};
  int64_t* const rowptr = out.in.rowptr.data_ptr<int64_t>();
  int32_t* col = out.in.col.data_ptr<int32_t>();
  size_t next = 0;
  for (size_t i = 0; i < heard.size(); ++i) {
    rowptr[i + 1] = rowptr[i];
    if (next == rows.size() || heard[i] != rows[next]) continue;
    const core::ListTable::Row list = in.row(rows[next++]);
    for (const int32_t* u = list.begin; u != list.end; ++u) {
      *col++ = place_of[static_cast<size_t>(*u)];
    }
    if (list.value != nullptr) {
      out.weights.insert(out.weights.end(), list.value,
                         list.value + list.size());
    }
    rowptr[i + 1] += list.size();
  }
  return out;
}

}  // namespace

std::vector<int64_t> RowSet::rows() const {
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(size_));
  for (size_t r = 0; r < is_in_.size(); ++r) {
    if (is_in_[r] != 0) out.push_back(static_cast<int64_t>(r));
  }
  return out;
}

std::vector<int64_t> with_senders(const core::ListTable& in,
                                  const std::vector<int64_t>& rows) {
  RowSet heard(in.num_rows());
  for (const int64_t r : rows) {
    heard.add(r);
    const core::ListTable::Row list = in.row(r);
    for (const int32_t* u = list.begin; u != list.end; ++u) heard.add(*u);
  }
  return heard.rows();
}

HeardRows heard_rows(const data::LiveGraph& graph,
                     const std::vector<int64_t>& rows,
                     std::vector<int64_t> heard) {
  const core::ListTable& in = graph.in();
  std::vector<int32_t> place_of(static_cast<size_t>(in.num_rows()), -1);
  for (size_t i = 0; i < heard.size(); ++i) {
    place_of[static_cast<size_t>(heard[i])] = static_cast<int32_t>(i);
  }
  HeardRows out;
  for (const int64_t r : rows) {
    out.places.push_back(place_of[static_cast<size_t>(r)]);
  }
  HeardLists lists = lists_of(in, rows, heard, place_of);
  // What a row sends is scaled by its degree in the whole graph.
  if (graph.is_weighted()) {
    std::vector<double> degrees;
    for (const int64_t r : heard) degrees.push_back(degree_of(in.row(r)));
    out.graph = core::weighted_graph(std::move(lists.in),
                                     data::tensor_of(lists.weights), degrees);
  } else {
    at::Tensor degrees =
        at::empty({static_cast<int64_t>(heard.size())}, at::kLong);
    int64_t* degree = degrees.data_ptr<int64_t>();
    for (const int64_t r : heard) *degree++ = in.row(r).size();
    out.graph = Graph::from_rows(std::move(lists.in), degrees);
  }
  out.rows = std::move(heard);
  return out;
}

Graph graph_of_rows(const data::LiveGraph& graph) {
  const core::ListTable& in = graph.in();
  if (!graph.is_weighted()) return Graph::from_rows(in.all());
  std::vector<double> degrees;
  degrees.reserve(static_cast<size_t>(in.num_rows()));
  for (int64_t r = 0; r < in.num_rows(); ++r) {
    degrees.push_back(degree_of(in.row(r)));
  }
  return core::weighted_graph(in.all(), in.all_values(), degrees);
}

}  // namespace ordered_gnn::training
