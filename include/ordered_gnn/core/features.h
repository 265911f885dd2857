#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>

namespace ordered_gnn {

/// Sparse rows: row r holds value[rowptr[r] .. rowptr[r+1]) at the columns
/// `col`, which rise strictly within a row.
struct SparseRows {
  at::Tensor rowptr;  ///< [rows + 1] int64
  at::Tensor col;     ///< [entries] int32
  at::Tensor value;   ///< [entries] float32
};

/// Node features in the form they are cheapest in. Immutable; copies share.
class NodeFeatures {
 public:
  enum class Kind { dense, sparse, identity };

  NodeFeatures();
  /// @param values  [N, F] float32, finite.  @throws Error naming the node and
  ///                column of the first NaN or infinity.
  static NodeFeatures dense(const at::Tensor& values);
  /// @throws Error when the arrays do not form sparse rows of width F, naming
  ///         the row.
  static NodeFeatures sparse(SparseRows rows, int64_t num_features);
  /// One-hot node ids: the N x N identity, never materialised.
  static NodeFeatures identity(int64_t num_nodes);

  /// The same features with their tensors on `device`, columns() among them:
  /// they are built on the CPU first. Values become `type`, float32 or
  /// bfloat16; a network stores its rows in bfloat16 when its features are.
  /// Returns itself when nothing changes.
  NodeFeatures to(at::Device device, at::ScalarType type = at::kFloat) const;

  Kind kind() const;
  int64_t num_nodes() const;
  int64_t num_features() const;
  /// Type of the values: float32, or bfloat16 after to().
  at::ScalarType scalar_type() const;

  /// [N, F]; only for Kind::dense.
  const at::Tensor& dense_values() const;
  /// Sparse rows; only for Kind::sparse and Kind::identity.
  const SparseRows& rows() const;
  /// The transpose of rows(): for every feature the nodes that carry it.
  /// Built on first use and shared by copies.
  const SparseRows& columns() const;

  /// A new dense [N, F] copy whatever the kind: for tests and small exports, of
  /// features on the CPU.
  at::Tensor to_dense() const;

 private:
  struct State;
  explicit NodeFeatures(std::shared_ptr<State> state);
  std::shared_ptr<State> state_;
};

/// "dense", "sparse" or "identity".
std::string to_string(NodeFeatures::Kind kind);

/// Row normalisation of the authors' code: subtract the global minimum, then
/// divide every row by max(row sum, 1). Sparse rows stay sparse: their absent
/// entries are zeros, so the minimum is 0; negative entries would make them
/// dense and are an Error that suggests raw features. Identity is unchanged.
NodeFeatures row_normalized(const NodeFeatures& features);

/// The same for rows that join others, whose global minimum it was.
/// @param minimum  subtracted from dense rows; sparse ones do not read it.
NodeFeatures row_normalized(const NodeFeatures& features, float minimum);

/// The global minimum that row_normalized() subtracts: 0 unless features are
/// dense and there are any.
float row_minimum(const NodeFeatures& features);

}  // namespace ordered_gnn
