#include "fuzz/harness.h"
#include "fuzz/samples.h"
#include "fuzz/targets.h"
#include "ordered_gnn/train/train.h"

namespace ordered_gnn {

// The metadata of a training state whose tensors are intact, as parts, and
// metrics.jsonl beside it. The run goes on from there.
void fuzz::try_training_state(std::string_view input) {
  static const core::TensorFile intact = fuzz::small_state();
  static const NodeDataset known = fuzz::small_dataset();
  TrainHooks hooks;
  hooks.folder = fuzz::fresh_folder();
  hooks.resume = true;
  fuzz::write_with_metadata(intact, input, hooks.folder, "state.safetensors");
  train(known, 0, fuzz::small_run(), hooks);
}

}  // namespace ordered_gnn
