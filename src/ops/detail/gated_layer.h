#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/gate_mode.h"
#include "ops/detail/lists.h"
#include "ordered_gnn/ops/ordered_gate.h"
#include "ordered_gnn/ops/ordered_layer.h"

// What ordered_layer and candidate_layer have in common.
namespace ordered_gnn::detail {

/// Arguments of a registered op: a layer over the lists of a graph.
template <typename Layer>
struct GatedLayerArguments {
  ScaledLists lists;
  Layer layer;
  bool reuse_memory = false;  ///< meant for backward
  bool keep = false;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.lists, self.layer, self.reuse_memory, self.keep);
  }
};

/// Arguments of its backward; `Kept` is what that reads of the forward pass.
template <typename Kept>
struct GatedLayerBackwardArguments {
  ScaledLists lists;
  Kept kept;
  at::Tensor grad_out;
  optional<at::Tensor> grad_gate;  ///< nothing stands for zeros
  bool reuse_memory = false;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.lists, self.kept, self.grad_out, self.grad_gate,
                    self.reuse_memory);
  }
};

/// While it lives, time counts for more than memory to layers of the calling
/// thread. On the CPU they keep sums of more than kDegree neighbours, which are
/// read faster than gathered; on a GPU tensors that go together share a block.
class TimeFirst {
 public:
  static constexpr int64_t kDegree = 4;

  TimeFirst();
  ~TimeFirst();
  TimeFirst(const TimeFirst&) = delete;
  TimeFirst& operator=(const TimeFirst&) = delete;

 private:
  const bool before_;
};

/// Whether a TimeFirst lives in the calling thread.
bool is_time_first();

/// Up to so many neighbours, on average, backward of ordered_layer() on the CPU
/// gathers their sums again; fewer where time counts first.
int64_t regather_degree();

/// The lists of a graph for a layer, to be transposed where backward comes.
ScaledLists layer_lists(const Graph& graph, const OrderedLayerInput& input);

/// How the gate of a layer is made.
/// @throws c10::Error when gating is none or simple.
GateMode layer_mode(const char* op, Gating gating, const at::Tensor& prev_gate);

/// Whether the gate before is there when `mode` needs it, and like h if so.
/// @param rows  of the layer; h may have more, which only send.
void check_prev_gate(const char* op, int64_t mode,
                     const optional<at::Tensor>& prev_gate, int64_t rows,
                     int64_t gates, const at::Tensor& h);

}  // namespace ordered_gnn::detail
