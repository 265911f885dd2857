// Times the kernels that work on rows of nodes (norm, gates, sums over
// neighbours) alone, in float and bfloat16, beside the least time that the
// bytes they must move take at the speed of a copy. Stands alone:
//   nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a
//     -I. -Isrc -Iinclude
//     benchmarks/micro/row_bench.cu
//     src/ops/cuda/kernels/{rows/norm,gates/gate_norm}*.cu
//     src/ops/cuda/kernels/rows/row_sum.cu
//   ./a.out [NODES [ENTRIES]]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "benchmarks/micro/gpu_bench.cuh"
#include "ops/cuda/kernels/gates/gate_norm.h"
#include "ops/cuda/kernels/rows/layer_norm.h"
#include "ops/cuda/kernels/rows/row_sum.h"

namespace {

using gpu_bench::Buffer;
using namespace ordered_gnn::cuda;

constexpr int kDim = 256, kGates = 64;

DropoutMask some_mask() {
  return DropoutMask(ordered_gnn::detail::MaskKey{42, 3, 1}, 0.2);
}

/// Rows as a layer has them, filled with numbers that look random.
template <typename S>
struct Rows {
  explicit Rows(int64_t nodes)
      : nodes(nodes),
        h(nodes * kDim),
        m(nodes * kDim),
        out(nodes * kDim),
        grads(nodes * 2 * kDim),
        logits(nodes * kGates),
        prev(nodes * kGates),
        gate(nodes * kGates),
        grad_logits(nodes * kGates),
        grad_prev(nodes * kGates),
        weight(kDim),
        bias(kDim),
        mean(nodes),
        rstd(nodes),
        partial(2048 * 3 * kDim) {
    uint32_t seed = 1;
    for (const auto* x : {&h, &m, &out, &logits, &prev, &gate}) {
      gpu_bench::fill(*x, seed++);
    }
    for (const auto* x : {&weight, &bias, &mean, &rstd}) {
      gpu_bench::fill(*x, seed++);
    }
  }

  int64_t nodes;
  Buffer<S> h, m, out, grads, logits, prev, gate, grad_logits, grad_prev;
  Buffer<float> weight, bias, mean, rstd, partial;
};

template <typename S>
void norm_forward(const Rows<S>& rows, bool known) {
  NormForward<S> job;
  job.x = rows.h.data();
  job.weight = rows.weight.data();
  job.bias = rows.bias.data();
  job.out = rows.out.data();
  job.mean = rows.mean.data();
  job.rstd = rows.rstd.data();
  job.known = known;
  job.rows = rows.nodes;
  job.dim = kDim;
  job.eps = 1e-5;
  job.relu = true;
  job.mask = some_mask();
  CHECK_CUDA(launch_norm_forward(job, nullptr));
}

template <typename S>
void norm_backward(const Rows<S>& rows, bool with_out) {
  NormBackward<S> job;
  job.grad = rows.m.data();
  job.x = rows.h.data();
  job.mean = rows.mean.data();
  job.rstd = rows.rstd.data();
  job.weight = rows.weight.data();
  job.bias = rows.bias.data();
  job.grad_x = rows.grads.data();
  job.out = with_out ? rows.out.data() : nullptr;
  job.partial = rows.partial.data();
  job.rows = rows.nodes;
  job.dim = kDim;
  job.relu = true;
  job.mask = some_mask();
  CHECK_CUDA(launch_norm_backward(job, nullptr));
}

/// What forward and backward of the gates have in common.
template <typename Job, typename S>
Job gate_job(const Rows<S>& rows) {
  Job job;
  job.logits = rows.logits.data();
  job.prev_gate = rows.prev.data();
  job.h = rows.h.data();
  job.m = rows.m.data();
  job.gate = rows.gate.data();
  job.norm_weight = rows.weight.data();
  job.mean = rows.mean.data();
  job.rstd = rows.rstd.data();
  job.rows = rows.nodes;
  job.gates = kGates;
  job.dim = kDim;
  job.mask = some_mask();
  return job;
}

template <typename S>
void gate_forward(const Rows<S>& rows) {
  auto job = gate_job<GateNormForward<S>>(rows);
  job.norm_bias = rows.bias.data();
  job.out = rows.out.data();
  job.eps = 1e-5;
  CHECK_CUDA(launch_gate_norm_forward(job, nullptr));
}

template <typename S>
void gate_backward(const Rows<S>& rows) {
  auto job = gate_job<GateNormBackward<S>>(rows);
  job.grad_out = rows.out.data();
  job.grad_gate = rows.gate.data();  // read once, as the gate
  job.grad_logits = rows.grad_logits.data();
  job.grad_prev = rows.grad_prev.data();
  job.grad_h = rows.grads.data();
  job.grad_m = rows.grads.data() + kDim;
  job.grad_pitch = 2 * kDim;
  job.partial = rows.partial.data();
  CHECK_CUDA(launch_gate_norm_backward(job, nullptr));
}

/// A random graph: every entry of the list is drawn from all nodes.
struct List {
  List(int64_t nodes, int64_t entries)
      : rowptr(starts(nodes, entries)),
        col(columns(nodes, entries)),
        scale(std::vector<double>(nodes, 0.5)) {}

  static std::vector<int64_t> starts(int64_t nodes, int64_t entries) {
    std::mt19937 random(7);
    std::vector<int64_t> count(nodes + 1, 0);
    for (int64_t e = 0; e < entries; ++e) ++count[random() % nodes + 1];
    for (int64_t v = 0; v < nodes; ++v) count[v + 1] += count[v];
    return count;
  }
  static std::vector<int32_t> columns(int64_t nodes, int64_t entries) {
    std::mt19937 random(8);
    std::vector<int32_t> col(entries);
    for (int32_t& c : col) c = static_cast<int32_t>(random() % nodes);
    return col;
  }

  Buffer<int64_t> rowptr;
  Buffer<int32_t> col;
  Buffer<double> scale;
};

template <typename S>
void row_sum(const Rows<S>& rows, const List& list, bool transposed) {
  RowSum<S, S, int32_t> job;
  job.rowptr = list.rowptr.data();
  job.col = list.col.data();
  (transposed ? job.col_scale : job.row_scale) = list.scale.data();
  job.h = rows.h.data();
  job.before = transposed ? rows.m.data() : nullptr;
  job.out = rows.out.data();
  job.rows = job.h_rows = rows.nodes;
  job.entries = list.col.size();
  job.dim = kDim;
  CHECK_CUDA(launch_row_sum(job, nullptr));
}

void report(const char* type, const char* name, double us, double bytes,
            double copy) {
  const double least = bytes / copy * 1e6;
  std::printf("%-5s %-24s %8.1f us  least %8.1f us  %5.2f\n", type, name, us,
              least, us / least);
}

/// Bytes a second of a copy.
double copy_speed() {
  Buffer<char> from(1 << 30), to(1 << 30);
  const double us = gpu_bench::time([&] {
    CHECK_CUDA(cudaMemcpyAsync(to.data(), from.data(), from.size(),
                               cudaMemcpyDeviceToDevice));
  });
  return 2e6 * from.size() / us;
}

template <typename S>
void run(const char* type, int64_t nodes, const List& list, double copy) {
  const Rows<S> rows(nodes);
  const double row = static_cast<double>(nodes) * kDim * sizeof(S);
  const double gate = row * kGates / kDim;
  const auto time = [&](const char* name, double bytes,
                        const std::function<void()>& f) {
    report(type, name, gpu_bench::time(f), bytes, copy);
  };
  time("norm forward", 2 * row, [&] { norm_forward(rows, false); });
  time("norm forward again", 2 * row, [&] { norm_forward(rows, true); });
  time("norm backward", 3 * row, [&] { norm_backward(rows, false); });
  time("norm backward and again", 4 * row, [&] { norm_backward(rows, true); });
  time("gates forward", 3 * row + 3 * gate, [&] { gate_forward(rows); });
  time("gates backward", 5 * row + 5 * gate, [&] { gate_backward(rows); });
  const double lists = 4.0 * list.col.size();
  time("sum of neighbours", 2 * row + lists,
       [&] { row_sum(rows, list, false); });
  time("sum, transposed, added", 3 * row + lists,
       [&] { row_sum(rows, list, true); });
}

}  // namespace

int main(int argc, char** argv) {
  const int64_t nodes = argc > 1 ? std::atoll(argv[1]) : 169343;
  const int64_t entries = argc > 2 ? std::atoll(argv[2]) : 15 * nodes;
  const List list(nodes, entries);
  const double copy = copy_speed();
  std::printf("%lld nodes, %lld entries, copy %.2f TB/s\n",
              static_cast<long long>(nodes), static_cast<long long>(entries),
              copy / 1e12);
  run<float>("float", nodes, list, copy);
  run<__nv_bfloat16>("bf16", nodes, list, copy);
}
