#include "fuzz/samples.h"

#include <ATen/Functions.h>

#include "core/io/file.h"
#include "fuzz/harness.h"
#include "fuzz/parts.h"
#include "ordered_gnn/data/make_dataset.h"
#include "ordered_gnn/train/train.h"

namespace ordered_gnn::fuzz {
namespace {

struct Stopped {};

at::Tensor numbers(std::initializer_list<int64_t> values) {
  return at::tensor(values, at::kLong);
}

}  // namespace

NodeDataset small_dataset() {
  ArrayOptions about;
  about.name = "small";
  about.class_names = {"no", "yes"};
  for (int node = 0; node < 8; ++node) {
    about.node_names.push_back("n" + std::to_string(node));
  }
  about.splits = {{numbers({0, 1, 2, 3}), numbers({4, 5}), numbers({6, 7})}};
  const at::Tensor edges =
      numbers({0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 0}).view({8, 2});
  NodeDataset data =
      make_dataset(edges, at::arange(24, at::kFloat).view({8, 3}).cos(),
                   numbers({0, 1, 0, 1, 0, 1, 0, 1}), about);
  data.feature_names = {"a", "b", "c"};
  return data;
}

RunOptions small_run() {
  RunOptions options;
  options.network.layers = 1;
  options.network.hidden = 4;
  options.network.chunk = 2;
  options.train.epochs = 3;
  options.train.save_seconds = 0;
  options.execution.threads = 1;
  return options;
}

core::TensorFile small_checkpoint() {
  const std::filesystem::path file = fresh_folder() / "model.safetensors";
  train(small_dataset(), 0, small_run()).save(file);
  return core::read_safetensors(file);
}

core::TensorFile small_state() {
  TrainHooks hooks;
  hooks.folder = fresh_folder();
  hooks.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 2) throw Stopped{};
  };
  try {
    train(small_dataset(), 0, small_run(), hooks);
  } catch (const Stopped&) {
  }
  return core::read_safetensors(hooks.folder / "state.safetensors");
}

std::filesystem::path write_with_metadata(const core::TensorFile& intact,
                                          std::string_view input,
                                          const std::filesystem::path& folder,
                                          const std::string& name) {
  core::TensorFile content;
  content.tensors = intact.tensors;
  for (const Part& part : split_parts(input)) {
    if (part.name.find('.') != std::string::npos) {
      core::write_file(folder / part.name, part.bytes);
    } else {
      content.metadata[part.name] = part.bytes;
    }
  }
  core::write_safetensors(folder / name, content);
  return folder / name;
}

}  // namespace ordered_gnn::fuzz
