#pragma once

namespace ordered_gnn::detail {

/// How a gate follows from its logits, by the numbers that registered ops take;
/// see ops/ordered_gate.h. Free of ATen: kernels of all devices include it.
enum class GateMode : int { simple = 0, ordered = 1, softor = 2 };

}  // namespace ordered_gnn::detail
