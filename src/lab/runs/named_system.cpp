#include "lab/runs/named_system.h"

#include "core/names.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/nn/options.h"

namespace ordered_gnn::lab {
namespace {

std::vector<NamedSystem> all_systems() {
  std::vector<NamedSystem> systems;
  for (const std::string& model : model_names()) {
    systems.push_back({model, model, Json::object()});
  }
  for (const Aggregator aggregator :
       {Aggregator::gcn, Aggregator::gat, Aggregator::sum, Aggregator::max,
        Aggregator::signed_}) {
    const std::string name = to_string(aggregator);
    systems.push_back(
        {"ordered_gnn_" + name, "ordered_gnn", {{"aggregator", name}}});
  }
  systems.push_back(
      {"ordered_gnn_transform", "ordered_gnn", {{"transform", "linear"}}});
  for (const char* convolution : {"gcn", "sage", "gat"}) {
    systems.push_back({std::string("tuned_gnn_") + convolution,
                       "tuned_gnn",
                       {{"convolution", convolution}}});
  }
  for (const std::string& model : model_names()) {
    systems.push_back(
        {model + "_correct_smooth", model, {{"correct-smooth", true}}});
  }
  return systems;
}

}  // namespace

std::vector<std::string> system_names() {
  std::vector<std::string> names;
  for (const NamedSystem& system : all_systems()) names.push_back(system.name);
  return names;
}

NamedSystem parse_system(const std::string& name) {
  return all_systems()[core::parse_name("model", name, system_names())];
}

}  // namespace ordered_gnn::lab
