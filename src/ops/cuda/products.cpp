#include "ops/cuda/products.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <algorithm>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/products/product.h"
#include "ops/cuda/kernels/products/product_wgmma.h"
#include "ops/cuda/stored_parameters.h"

namespace ordered_gnn::cuda {
namespace {

enum class Kernels { none, mma, wgmma };

// Whose kernel is the fastest, as benchmarks/micro/product_bench.cu finds it:
// cuBLAS has none for float that use tensor cores, but good ones for TF32
// unless the result or what is summed over is narrow.
Kernels kernels_for(const Product& job) {
  constexpr int64_t kMany = 65536;
  const int64_t narrow = std::min({job.m, job.n, job.k});
  const int64_t longest = std::max({job.m, job.n, job.k});
  if (job.terms == 1) {
    return narrow <= 64 && longest <= kMany && can_multiply(job)
               ? Kernels::mma
               : Kernels::none;
  }
  if (can_multiply_wgmma(job)) return Kernels::wgmma;
  return can_multiply(job) ? Kernels::mma : Kernels::none;
}

at::ScalarType parameter_type(const at::Tensor& rows) {
  return rows.scalar_type() == at::kBFloat16 ? at::kFloat : rows.scalar_type();
}

bool is_dense(const at::Tensor& matrix) {
  return matrix.stride(1) == 1 || matrix.stride(0) == 1;
}

// A matrix as it lies in memory, or its transpose.
Factor factor(const at::Tensor& matrix, const at::Tensor& second, bool turned) {
  const bool row_major = matrix.stride(1) == 1;
  Factor out;
  out.first = matrix.data_ptr<float>();
  out.pitch = row_major ? matrix.stride(0) : matrix.stride(1);
  out.transposed = row_major == turned;
  if (second.defined()) {
    out.second = second.data_ptr<float>();
    out.columns_of_first = matrix.size(1);
  }
  return out;
}

// [a ; a2] [b ; b2] into `out`; a2 and b2 may be undefined, and where they are
// not, they lie in rows as their partners do. A factor without such a partner
// can be the transpose of its tensor: a view of that would take the host longer
// than the launch. `along` is done as well, where our kernel does the job.
struct Job {
  at::Tensor a, b, out;
  at::Tensor a2 = {}, b2 = {}, bias = {};
  bool accumulate = false;
  bool turn_a = false, turn_b = false;
  PartialSums<float> along = {};
  at::Tensor workspace = {};  // where the caller has made some
};

int64_t workspace_of(int64_t m, int64_t n, int64_t k) {
  return std::max(product_workspace(m, n, k), product_wgmma_workspace(m, n, k));
}

// False when it is none of our kernel's.
bool multiply(const Job& job) {
  if (job.out.scalar_type() != at::kFloat ||
      job.a.scalar_type() != at::kFloat || !is_dense(job.a) ||
      !is_dense(job.b) || job.out.numel() == 0) {
    return false;
  }
  const OnDevice device(job.out);
  Product product;
  product.a = factor(job.a, job.a2, job.turn_a);
  product.b = factor(job.b, job.b2, job.turn_b);
  product.c = job.out.data_ptr<float>();
  product.c_pitch = job.out.stride(0);
  product.bias = pointer_of<float>(job.bias);
  product.accumulate = job.accumulate;
  product.along = job.along;
  product.m = job.out.size(0);
  product.n = job.out.size(1);
  product.k =
      job.a.size(job.turn_a ? 0 : 1) + (job.a2.defined() ? job.a2.size(1) : 0);
  product.terms = at::globalContext().allowTF32CuBLAS() ? 1 : 3;
  at::Tensor workspace = job.workspace;
  if (!workspace.defined()) {
    const int64_t floats = workspace_of(product.m, product.n, product.k);
    if (floats > 0) workspace = fresh({floats}, job.out.options());
  }
  product.workspace = pointer_of<float>(workspace);
  switch (kernels_for(product)) {
    case Kernels::none:
      return false;
    case Kernels::mma:
      C10_CUDA_CHECK(launch_product(product, device.stream()));
      break;
    case Kernels::wgmma:
      C10_CUDA_CHECK(launch_product_wgmma(product, device.stream()));
      break;
  }
  return true;
}

void add_product(const at::Tensor& a, const at::Tensor& b, at::Tensor sum) {
  Job job{a, b, sum};
  job.accumulate = true;
  if (!multiply(job)) sum.addmm_(a, b);
}

void multiply_by_cublas(const at::Tensor& a, const at::Tensor& b,
                        at::Tensor out) {
  if (a.scalar_type() == at::kBFloat16 && out.scalar_type() == at::kFloat) {
    at::mm_out(out, a, b, at::kFloat);
  } else {
    at::mm_out(out, a, b);
  }
}

}  // namespace

at::Tensor stored_like(const at::Tensor& parameter, const at::Tensor& rows) {
  if (parameter.scalar_type() == rows.scalar_type()) return parameter;
  const at::Tensor copy = stored_copy(parameter);
  return copy.defined() ? copy : parameter.to(rows.scalar_type());
}

at::Tensor affine(const at::Tensor& x, const at::Tensor& weight,
                  const at::Tensor& bias) {
  const at::Tensor stored = stored_like(weight, x);
  const at::Tensor shift = stored_like(bias, x).contiguous();
  if (x.scalar_type() == at::kFloat) {
    const at::Tensor out = fresh({x.size(0), stored.size(0)}, x.options());
    Job job{x, stored, out, {}, {}, shift};
    job.turn_b = true;
    if (multiply(job)) return out;
  }
  return at::addmm(shift, x, stored.t());
}

at::Tensor pair_affine(const at::Tensor& a, const at::Tensor& b,
                       const at::Tensor& weight, const at::Tensor& bias) {
  const at::Tensor out = fresh({a.size(0), weight.size(0)}, a.options());
  pair_affine(a, b, weight, bias, out);
  return out;
}

void pair_affine(const at::Tensor& a, const at::Tensor& b,
                 const at::Tensor& weight, const at::Tensor& bias,
                 at::Tensor out) {
  const at::Tensor stored = stored_like(weight, a);
  const at::Tensor shift = stored_like(bias, a).contiguous();
  if (a.scalar_type() == at::kFloat && a.is_contiguous() && b.is_contiguous() &&
      a.size(1) == b.size(1)) {
    Job job{a, stored, out, b, {}, shift};
    job.turn_b = true;
    if (multiply(job)) return;
  }
  const at::Tensor factor = stored.t();
  at::addmm_out(out, shift, a, factor.narrow(0, 0, a.size(1)));
  out.addmm_(b, factor.narrow(0, a.size(1), b.size(1)));
}

at::Tensor input_gradient(const at::Tensor& grad, const at::Tensor& weight) {
  const at::Tensor factor = stored_like(weight, grad);
  const at::Tensor out = fresh({grad.size(0), factor.size(1)}, grad.options());
  if (!multiply({grad, factor, out})) multiply_by_cublas(grad, factor, out);
  return out;
}

void add_input_gradient(const at::Tensor& grad, const at::Tensor& weight,
                        const at::Tensor& sum) {
  add_product(grad, stored_like(weight, grad), sum);
}

void add_pair_input_gradient(const at::Tensor& grad, const at::Tensor& weight,
                             const at::Tensor& sum_a, const at::Tensor& sum_b) {
  const at::Tensor factor = stored_like(weight, grad);
  const int64_t width = sum_a.size(1);
  add_product(grad, factor.narrow(1, 0, width), sum_a);
  add_product(grad, factor.narrow(1, width, sum_b.size(1)), sum_b);
}

at::Tensor weight_gradient(const at::Tensor& grad, const at::Tensor& x) {
  const at::Tensor out =
      fresh({grad.size(1), x.size(1)}, x.options().dtype(parameter_type(x)));
  Job job{grad, x, out};
  job.turn_a = true;
  if (!multiply(job)) multiply_by_cublas(grad.t(), x, out);
  return out;
}

at::Tensor pair_weight_gradient(const at::Tensor& grad, const at::Tensor& a,
                                const at::Tensor& b) {
  const at::Tensor out = fresh({grad.size(1), a.size(1) + b.size(1)},
                               a.options().dtype(parameter_type(a)));
  pair_weight_gradient(grad, a, b, /*besides=*/{}, out);
  return out;
}

int64_t pair_weight_workspace(const at::Tensor& a, const at::Tensor& b,
                              int64_t outputs) {
  if (a.scalar_type() != at::kFloat) return 0;
  return workspace_of(outputs, a.size(1) + b.size(1), a.size(0));
}

void pair_weight_gradient(const at::Tensor& grad, const at::Tensor& a,
                          const at::Tensor& b, const SharedSums& besides,
                          const at::Tensor& out, const at::Tensor& workspace) {
  if (a.is_contiguous() && b.is_contiguous() && a.size(1) == b.size(1)) {
    Job job{grad, a, out, {}, b};
    job.turn_a = true;
    job.workspace = workspace;
    if (out.scalar_type() == at::kFloat) {
      job.along = partial_sums<float>(besides);
    }
    if (multiply(job)) return;
  }
  multiply_by_cublas(grad.t(), a, out.narrow(1, 0, a.size(1)));
  multiply_by_cublas(grad.t(), b, out.narrow(1, a.size(1), b.size(1)));
  sum_partials(besides);
}

}  // namespace ordered_gnn::cuda
