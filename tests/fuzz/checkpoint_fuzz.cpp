#include "fuzz/harness.h"
#include "fuzz/samples.h"
#include "fuzz/targets.h"
#include "ordered_gnn/train/prediction.h"

namespace ordered_gnn {

// The metadata of a checkpoint whose tensors are intact, as parts.
void fuzz::try_checkpoint(std::string_view input) {
  static const core::TensorFile intact = fuzz::small_checkpoint();
  static const NodeDataset known = fuzz::small_dataset();
  const Trained trained = load_trained(fuzz::write_with_metadata(
      intact, input, fuzz::fresh_folder(), "model.safetensors"));
  data_for(trained);
  predict(trained, known);
}

}  // namespace ordered_gnn
