#pragma once
#include <cstdint>

#include "train/model_state.h"

namespace ordered_gnn::training {

/// The factor d_t of the average before epoch t, counted from 1, where that of
/// a long run is `decay`: min(decay, (t - 1) / (t + 9)), so that the first
/// epochs, far from where training leads, are soon forgotten.
double average_decay(double decay, int64_t epoch);

/// Exponential moving average of parameters and buffers over the epochs,
///
///   a_1 = w_1,   a_t = d_t a_{t-1} + (1 - d_t) w_t
///
/// with w_t as epoch t leaves them. Training goes on from w_t; a_t is what is
/// evaluated and kept.
class WeightAverage {
 public:
  /// @param model  must outlive this.
  /// @param decay  0: there is no average, and nothing is held.
  WeightAverage(NodeModel& model, double decay);

  bool is_active() const { return is_active_; }

  /// Takes in the model as it is after an epoch.
  void update(int64_t epoch);
  /// The same with d_t read on the device when it runs, as part of a CUDA
  /// graph. @param decay  float64, no dimension.
  void update(const at::Tensor& decay);

  /// The averages by name, on the model's device; empty without.
  const TensorMap& values() const { return average_; }
  /// Copies of them, on the same device.
  TensorMap copies() const;
  /// Takes over saved ones, known to fit the model.
  void set_values(const TensorMap& values);

  /// Runs `body` while the model has the averages for its parameters; nothing
  /// but that where there is no average.
  template <typename Body>
  void while_in_place(const Body& body) {
    put_in_place();
    body();
    take_back();
  }

 private:
  void put_in_place();
  void take_back();

  const bool is_active_;
  const double decay_;
  TensorMap own_;      ///< the model's tensors
  TensorMap average_;  ///< a
  TensorMap aside_;    ///< w while the averages are in its place
};

}  // namespace ordered_gnn::training
