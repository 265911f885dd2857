#include "train/live/layer_update.h"

#include <torch/types.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>
#include <utility>

#include "data/formats/tensor_of.h"
#include "train/live/heard_rows.h"

namespace ordered_gnn::training {
namespace {

// A layer of more than one row in so many is computed for all.
constexpr int64_t kWholeLayerFrom = 2;
// Rows of features that are treated at a time.
constexpr int64_t kFeatureRowsPerPass = int64_t{1} << 16;

at::Tensor taken_rows(const at::Tensor& values,
                      const std::vector<int64_t>& rows) {
  return values.index_select(0, data::tensor_of(rows));
}

// Of two lists of changed rows, rising.
std::vector<int64_t> united(const std::vector<int64_t>& a,
                            const std::vector<int64_t>& b) {
  std::vector<int64_t> out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(out));
  return out;
}

}  // namespace

LayerUpdate::LayerUpdate(const OrderedGnn& network,
                         const data::LiveGraph& graph, FeatureRows features)
    : network_(network), graph_(graph), features_(std::move(features)) {}

at::Tensor LayerUpdate::first_rows(const std::vector<int64_t>& rows) const {
  std::vector<at::Tensor> parts;
  for (size_t at = 0; at < rows.size(); at += kFeatureRowsPerPass) {
    const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(at);
    const auto count = std::min<size_t>(kFeatureRowsPerPass, rows.size() - at);
    const std::vector<int64_t> part(begin,
                                    begin + static_cast<std::ptrdiff_t>(count));
    parts.push_back(network_.first_state(features_(part)).h);
  }
  return parts.size() == 1 ? parts.front() : at::cat(parts);
}

LayerUpdate::Changed LayerUpdate::update_first(const data::ChangeEffect& effect,
                                               LiveStates::Layer& layer) {
  std::vector<int64_t> rows;
  if (effect.all_features) {
    rows = graph_.rows();
  } else {
    for (const int64_t r : effect.feature_rows) {
      if (graph_.has(r)) rows.push_back(r);
    }
  }
  core::RowTable::Editor editor(layer.h);
  editor.grow_to(graph_.num_rows());
  if (rows.empty()) return {};
  computed_rows_ += static_cast<int64_t>(rows.size());
  return {editor.write(rows, first_rows(rows), first_new_), false};
}

// A message of some aggregators is scaled by the degree of its sender too.
std::vector<int64_t> LayerUpdate::listed_rows(
    const data::ChangeEffect& effect) const {
  const Aggregator aggregator = network_.options().aggregator;
  const bool reads_degree_of_sender =
      aggregator != Aggregator::mean && aggregator != Aggregator::sum;
  RowSet out(graph_.num_rows());
  for (const int64_t r : effect.list_rows) {
    if (!graph_.has(r)) continue;
    out.add(r);
    if (!reads_degree_of_sender) continue;
    const core::ListTable::Row receivers = graph_.out().row(r);
    for (const int32_t* v = receivers.begin; v != receivers.end; ++v) {
      out.add(*v);
    }
  }
  return out.rows();
}

std::vector<int64_t> LayerUpdate::reached(const Changed& below) {
  RowSet out(graph_.num_rows());
  for (const int64_t r : listed_) out.add(r);
  for (const int64_t r : below.rows) {
    if (!graph_.has(r)) continue;
    out.add(r);
    const core::ListTable::Row receivers = graph_.out().row(r);
    for (const int32_t* v = receivers.begin; v != receivers.end; ++v) {
      out.add(*v);
    }
  }
  return out.rows();
}

const Graph& LayerUpdate::whole_graph() {
  if (!whole_graph_) whole_graph_ = graph_of_rows(graph_);
  return *whole_graph_;
}

OrderedGnn::State LayerUpdate::whole_layer(int64_t number,
                                           const LiveStates::Layer& input) {
  if (!last_whole_) {
    last_whole_ = State{input.h.all(), {}};
    if (input.gate.width() > 0) last_whole_->gate = input.gate.all();
  }
  last_whole_ = network_.next_state(whole_graph(), number, *last_whole_);
  ++whole_layers_;
  computed_rows_ += graph_.num_nodes();
  return *last_whole_;
}

void LayerUpdate::store_whole(const State& state,
                              LiveStates::Layer& layer) const {
  layer.h = core::RowTable::of(state.h, &layer.h);
  if (network_.options().gating == Gating::none) return;
  const bool had_gates = layer.gate.width() > 0;
  layer.gate =
      core::RowTable::of(state.gate, had_gates ? &layer.gate : nullptr);
}

LayerUpdate::Changed LayerUpdate::part_of_layer(
    int64_t number, const std::vector<int64_t>& rows,
    const LiveStates::Layer& input, LiveStates::Layer& layer) {
  last_whole_.reset();
  core::RowTable::Editor h(layer.h), gate(layer.gate);
  h.grow_to(graph_.num_rows());
  const bool has_gates = layer.gate.width() > 0;
  if (has_gates) gate.grow_to(graph_.num_rows());
  if (rows.empty()) return {};
  std::vector<int64_t> heard = with_senders(graph_.in(), rows);
  if (static_cast<int64_t>(heard.size()) >
      graph_.num_nodes() / kWholeLayerFrom) {
    store_whole(whole_layer(number, input), layer);
    return {{}, true};
  }
  const HeardRows part = heard_rows(graph_, rows, std::move(heard));
  State state{input.h.gathered(part.rows), {}};
  if (input.gate.width() > 0) state.gate = input.gate.gathered(part.rows);
  state = network_.next_state(part.graph, number, state);
  computed_rows_ += static_cast<int64_t>(rows.size());
  Changed out{h.write(rows, taken_rows(state.h, part.places), first_new_),
              false};
  if (has_gates) {
    out.rows = united(
        out.rows,
        gate.write(rows, taken_rows(state.gate, part.places), first_new_));
  }
  return out;
}

LayerUpdate::Changed LayerUpdate::update_layer(int64_t number,
                                               const Changed& below,
                                               const LiveStates::Layer& input,
                                               LiveStates::Layer& layer) {
  if (!below.all) {
    return part_of_layer(number, reached(below), input, layer);
  }
  store_whole(whole_layer(number, input), layer);
  return {{}, true};
}

void LayerUpdate::update_output(const Changed& changed, LiveStates& states) {
  const core::RowTable& h = states.layers.back().h;
  if (changed.all) {
    const at::Tensor logits = network_.classify(h.all());
    states.logits = core::RowTable::of(logits, &states.logits);
    states.probabilities =
        core::RowTable::of(logits.softmax(1), &states.probabilities);
    return;
  }
  core::RowTable::Editor logits(states.logits);
  core::RowTable::Editor probabilities(states.probabilities);
  logits.grow_to(graph_.num_rows());
  probabilities.grow_to(graph_.num_rows());
  if (changed.rows.empty()) return;
  const at::Tensor rows = network_.classify(h.gathered(changed.rows));
  logits.write(changed.rows, rows, first_new_);
  probabilities.write(changed.rows, rows.softmax(1), first_new_);
}

void LayerUpdate::clear_gone(const data::ChangeEffect& effect,
                             LiveStates& states) const {
  std::set<int64_t> chunks;
  if (whole_layers_ > 0) {
    // Rows of the gone were computed like all others.
    for (int64_t c = 0; c < core::chunks_of(graph_.num_rows()); ++c) {
      if (graph_.is_gone(c)) chunks.insert(c);
    }
  }
  for (const int64_t r : effect.removed_rows) {
    if (graph_.is_gone(r / core::kRowsPerChunk)) {
      chunks.insert(r / core::kRowsPerChunk);
    }
  }
  const auto clear = [&](core::RowTable& table) {
    if (table.width() == 0) return;
    core::RowTable::Editor editor(table);
    for (const int64_t c : chunks) editor.clear(c);
  };
  if (chunks.empty()) return;
  for (LiveStates::Layer& layer : states.layers) {
    clear(layer.h);
    clear(layer.gate);
  }
  clear(states.logits);
  clear(states.probabilities);
}

LiveStates LayerUpdate::computed() {
  std::vector<int64_t> rows(static_cast<size_t>(graph_.num_rows()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  LiveStates out;
  const int64_t layers = network_.options().layers;
  out.layers.resize(static_cast<size_t>(layers) + 1);
  const at::Tensor first = first_rows(rows);
  last_whole_ = State{first, {}};
  out.layers[0].h = core::RowTable::of(first);
  for (int64_t k = 1; k <= layers; ++k) {
    const auto at = static_cast<size_t>(k);
    store_whole(whole_layer(k, out.layers[at - 1]), out.layers[at]);
  }
  last_whole_.reset();
  update_output({{}, true}, out);
  clear_gone({}, out);
  return out;
}

LiveStates LayerUpdate::updated(const LiveStates& earlier,
                                const data::ChangeEffect& effect,
                                UpdateWork& work) {
  LiveStates out = earlier;
  first_new_ = earlier.layers.front().h.num_rows();
  listed_ = listed_rows(effect);
  Changed changed = update_first(effect, out.layers.front());
  for (size_t k = 1; k < out.layers.size(); ++k) {
    changed = update_layer(static_cast<int64_t>(k), changed, out.layers[k - 1],
                           out.layers[k]);
  }
  last_whole_.reset();
  update_output(changed, out);
  clear_gone(effect, out);
  work.rows = computed_rows_;
  work.whole_layers = whole_layers_;
  work.changed = changed.all ? graph_.num_nodes()
                             : static_cast<int64_t>(changed.rows.size());
  return out;
}

}  // namespace ordered_gnn::training
