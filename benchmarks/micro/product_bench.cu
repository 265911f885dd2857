// Times the product kernels beside cuBLAS on the shapes of an ordered layer,
// for which PyTorch calls cuBLAS, and checks both against double. Stands alone:
//   nvcc -O3 -std=c++17 -gencode=arch=compute_90a,code=sm_90a
//     -I. -Isrc -Iinclude
//     -lcublas benchmarks/micro/product_bench.cu
//     src/ops/cuda/kernels/products/product{,_wgmma}.cu
//     src/ops/cuda/kernels/rows/column_sums.cu
#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "benchmarks/micro/gpu_bench.cuh"
#include "ops/cuda/kernels/products/product.h"
#include "ops/cuda/kernels/products/product_wgmma.h"

namespace {

using gpu_bench::Buffer;
using gpu_bench::fill;
using gpu_bench::time;
using ordered_gnn::cuda::Factor;
using ordered_gnn::cuda::Product;

#define CHECK_BLAS(call) \
  gpu_bench::check((call) == CUBLAS_STATUS_SUCCESS, #call, "cuBLAS")

__global__ void widen_kernel(const float* x, int64_t size, double* y) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < size; i += stride) {
    y[i] = x[i];
  }
}

__global__ void add_bias_kernel(const float* bias, int64_t n, int64_t size,
                                double* c) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < size; i += stride) {
    c[i] += bias[i % n];
  }
}

/// A product of one of the kinds that a layer needs. Its factors are dense;
/// `split` columns of the factor that has node rows of two kinds lie apart.
struct Shape {
  std::string name;
  int64_t m, n, k;
  bool a_transposed, b_transposed, bias, accumulate;
  int64_t split;  // 0: one source
};

class Case {
 public:
  explicit Case(const Shape& shape)
      : shape_(shape),
        a_(shape.m * shape.k),
        b_(shape.n * shape.k),
        bias_(shape.n),
        start_(shape.m * shape.n),
        c_(shape.m * shape.n),
        reference_(shape.m * shape.n),
        workspace_(std::max(
            ordered_gnn::cuda::product_workspace(shape.m, shape.n, shape.k),
            ordered_gnn::cuda::product_wgmma_workspace(shape.m, shape.n,
                                                       shape.k))) {
    fill(a_, 1);
    fill(b_, 2);
    fill(bias_, 3);
    fill(start_, 4);
    CHECK_BLAS(cublasCreate(&blas_));
    make_reference();
  }
  ~Case() { cublasDestroy(blas_); }

  void ours(int terms) {
    CHECK_CUDA(ordered_gnn::cuda::launch_product(job_of(terms), nullptr));
  }

  void wgmma(int terms) {
    CHECK_CUDA(ordered_gnn::cuda::launch_product_wgmma(job_of(terms), nullptr));
  }

  bool has_wgmma() const {
    return ordered_gnn::cuda::can_multiply_wgmma(job_of(3));
  }

  /// As many calls as there are sources; the bias, which cuBLAS leaves to an
  /// epilogue or to another kernel, is not part of it.
  void cublas(cublasComputeType_t compute) {
    const int parts = shape_.split > 0 ? 2 : 1;
    for (int part = 0; part < parts; ++part) {
      const int64_t width = parts == 2 ? shape_.split : 0;
      const bool along_k = !shape_.a_transposed;
      const int64_t k = parts == 2 && along_k ? width : shape_.k;
      const int64_t n = parts == 2 && !along_k ? width : shape_.n;
      const float* a = a_.data();
      const float* b = b_.data();
      float* c = c_.data();
      int64_t a_pitch = a_columns(), b_pitch = b_columns();
      if (parts == 2 && along_k) {
        a += part * shape_.m * width;
        a_pitch = width;
        b += part * width * (shape_.b_transposed ? 1 : shape_.n);
      } else if (parts == 2) {
        b += part * shape_.k * width;
        b_pitch = width;
        c += part * width;
      }
      const bool add = shape_.accumulate || (along_k && part == 1);
      multiply(a, b, c, n, k, a_pitch, b_pitch, add, compute);
    }
  }

  /// || c - reference || / || reference || after one run from the start.
  double error(const std::function<void()>& run, bool with_bias) {
    reset();
    run();
    std::vector<float> got(c_.size());
    std::vector<double> want(c_.size());
    std::vector<float> bias(shape_.n);
    copy_back(got.data(), c_.data(), c_.size());
    copy_back(want.data(), reference_.data(), c_.size());
    copy_back(bias.data(), bias_.data(), shape_.n);
    double difference = 0, norm = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      double x = got[i];
      if (shape_.bias && !with_bias) x += bias[i % bias.size()];
      difference += (x - want[i]) * (x - want[i]);
      norm += want[i] * want[i];
    }
    return std::sqrt(difference / norm);
  }

 private:
  static constexpr int kBlocks = 1024, kThreads = 256;

  Product job_of(int terms) const {
    Product job;
    job.a = factor(a_, a_columns(), shape_.a_transposed, !shape_.a_transposed);
    job.b = factor(b_, b_columns(), shape_.b_transposed, shape_.a_transposed);
    job.c = c_.data();
    job.c_pitch = shape_.n;
    job.bias = shape_.bias ? bias_.data() : nullptr;
    job.accumulate = shape_.accumulate;
    job.m = shape_.m;
    job.n = shape_.n;
    job.k = shape_.k;
    job.terms = terms;
    job.workspace = workspace_.size() > 0 ? workspace_.data() : nullptr;
    return job;
  }

  int64_t a_columns() const {
    return shape_.a_transposed ? shape_.m : shape_.k;
  }
  int64_t b_columns() const {
    return shape_.b_transposed ? shape_.k : shape_.n;
  }

  template <typename T>
  static void copy_back(T* to, const T* from, int64_t size) {
    CHECK_CUDA(cudaMemcpy(to, from, size * sizeof(T), cudaMemcpyDeviceToHost));
  }

  void reset() {
    CHECK_CUDA(cudaMemcpy(c_.data(), start_.data(), c_.size() * sizeof(float),
                          cudaMemcpyDeviceToDevice));
  }

  Factor factor(const Buffer<float>& x, int64_t columns, bool transposed,
                bool has_nodes) const {
    Factor result;
    result.first = x.data();
    result.pitch = columns;
    result.transposed = transposed;
    if (shape_.split > 0 && has_nodes) {
      result.pitch = result.columns_of_first = shape_.split;
      result.second = x.data() + x.size() / 2;
    }
    return result;
  }

  /// Row-major c = a b is column-major c^T = b^T a^T.
  void multiply(const float* a, const float* b, float* c, int64_t n, int64_t k,
                int64_t a_pitch, int64_t b_pitch, bool add,
                cublasComputeType_t compute) {
    const float one = 1.0f, beta = add ? 1.0f : 0.0f;
    CHECK_BLAS(cublasGemmEx(
        blas_, shape_.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
        shape_.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N, static_cast<int>(n),
        static_cast<int>(shape_.m), static_cast<int>(k), &one, b, CUDA_R_32F,
        static_cast<int>(b_pitch), a, CUDA_R_32F, static_cast<int>(a_pitch),
        &beta, c, CUDA_R_32F, static_cast<int>(shape_.n), compute,
        CUBLAS_GEMM_DEFAULT));
  }

  void make_reference() {
    Buffer<double> a(a_.size()), b(b_.size());
    widen_kernel<<<kBlocks, kThreads>>>(a_.data(), a_.size(), a.data());
    widen_kernel<<<kBlocks, kThreads>>>(b_.data(), b_.size(), b.data());
    widen_kernel<<<kBlocks, kThreads>>>(start_.data(), start_.size(),
                                        reference_.data());
    const bool along_k = !shape_.a_transposed;
    const int64_t width = shape_.split;
    for (int part = 0; part < (width > 0 ? 2 : 1); ++part) {
      const bool apart_k = width > 0 && along_k,
                 apart_n = width > 0 && !along_k;
      const int64_t k = apart_k ? width : shape_.k;
      const int64_t n = apart_n ? width : shape_.n;
      const double one = 1.0;
      const double beta = shape_.accumulate || (apart_k && part == 1) ? 1 : 0;
      const int64_t a_step = apart_k ? shape_.m * width : 0;
      const int64_t b_step = apart_k
                                 ? width * (shape_.b_transposed ? 1 : shape_.n)
                                 : shape_.k * width;
      CHECK_BLAS(
          cublasDgemm(blas_, shape_.b_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                      shape_.a_transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                      static_cast<int>(n), static_cast<int>(shape_.m),
                      static_cast<int>(k), &one, b.data() + part * b_step,
                      static_cast<int>(apart_n ? width : b_columns()),
                      a.data() + part * a_step,
                      static_cast<int>(apart_k ? width : a_columns()), &beta,
                      reference_.data() + (apart_n ? part * width : 0),
                      static_cast<int>(shape_.n)));
    }
    if (shape_.bias) {
      add_bias_kernel<<<kBlocks, kThreads>>>(
          bias_.data(), shape_.n, reference_.size(), reference_.data());
    }
    CHECK_CUDA(cudaDeviceSynchronize());
  }

  Shape shape_;
  Buffer<float> a_, b_, bias_, start_, c_;
  Buffer<double> reference_;
  Buffer<float> workspace_;
  cublasHandle_t blas_ = nullptr;
};

std::vector<Shape> shapes_of(int64_t nodes) {
  const int64_t width = 256, gates = 64, both = 2 * width;
  std::vector<Shape> shapes = {
      {"gate", nodes, gates, both, false, true, true, false, width},
      {"gate dX", nodes, both, gates, false, false, false, true, 0},
      {"gate dW", gates, both, nodes, true, false, false, false, width}};
  for (const int64_t inputs : {256, 128, 500}) {
    const std::string name = "in " + std::to_string(inputs);
    shapes.push_back({name, nodes, width, inputs, false, true, true, false, 0});
    shapes.push_back(
        {name + " dW", width, inputs, nodes, true, false, false, false, 0});
  }
  shapes.push_back(
      {"in dX", nodes, width, width, false, false, false, false, 0});
  shapes.push_back(
      {"in 2092", nodes, gates, 2092, false, true, true, false, 0});
  for (const int64_t narrow : {64, 128}) {
    const std::string name = std::to_string(narrow) + " dW";
    shapes.push_back(
        {name, narrow, narrow, nodes, true, false, false, false, 0});
  }
  for (const int64_t classes : {5, 40}) {
    const std::string name = "out " + std::to_string(classes);
    shapes.push_back(
        {name, nodes, classes, width, false, true, true, false, 0});
    shapes.push_back(
        {name + " dX", nodes, width, classes, false, false, false, false, 0});
    shapes.push_back(
        {name + " dW", classes, width, nodes, true, false, false, false, 0});
  }
  return shapes;
}

/// What is not served has no time and no error.
void report(int64_t nodes, const Shape& shape) {
  Case job(shape);
  const bool wgmma = job.has_wgmma();
  struct Column {
    std::function<void()> run;
    bool with_bias, served;
  };
  const Column columns[] = {
      {[&] { job.ours(3); }, true, true},
      {[&] { job.wgmma(3); }, true, wgmma},
      {[&] { job.cublas(CUBLAS_COMPUTE_32F); }, false, true},
      {[&] { job.ours(1); }, true, true},
      {[&] { job.wgmma(1); }, true, wgmma},
      {[&] { job.cublas(CUBLAS_COMPUTE_32F_FAST_TF32); }, false, true}};
  std::printf("%7lld %-10s", static_cast<long long>(nodes), shape.name.c_str());
  for (const Column& column : columns) {
    std::printf(" %9.1f", column.served ? time(column.run) : NAN);
  }
  std::printf("  ");
  for (const Column& column : columns) {
    std::printf(" %7.1e",
                column.served ? job.error(column.run, column.with_bias) : NAN);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace

/// Takes numbers of nodes, of which it has its own.
int main(int argc, char** argv) {
  std::vector<int64_t> sizes;
  for (int i = 1; i < argc; ++i) sizes.push_back(std::atoll(argv[i]));
  if (sizes.empty()) sizes = {7600, 19717, 169343};
  std::printf("microseconds (median of 20), then errors against double\n");
  std::printf("%7s %-10s", "nodes", "product");
  for (const char* name :
       {"ours", "wgmma", "cublas", "ours tf32", "wg. tf32", "cub. tf32"}) {
    std::printf(" %9s", name);
  }
  std::printf("  ");
  for (const char* name :
       {"ours", "wgmma", "cublas", "o. tf32", "w. tf32", "c. tf32"}) {
    std::printf(" %-7s", name);
  }
  std::printf("\n");
  for (const int64_t nodes : sizes) {
    for (const Shape& shape : shapes_of(nodes)) report(nodes, shape);
  }
  return 0;
}
