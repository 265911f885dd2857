#include "ordered_gnn/data/make_dataset.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <cmath>

#include "data/drawn_splits.h"
#include "data/fingerprint.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kDrawnSplits = 10;

std::string description(const at::Tensor& tensor) {
  if (!tensor.defined()) return "no tensor";
  return fmt::format("[{}] {} on {}", fmt::join(tensor.sizes(), ", "),
                     at::toString(tensor.scalar_type()), tensor.device().str());
}

[[noreturn]] void fail_argument(const char* name, const std::string& expected,
                                const at::Tensor& found,
                                const std::string& remedy = "") {
  throw UsageError(fmt::format("make_dataset: {} must be {}, got {}{}", name,
                               expected, description(found), remedy));
}

void check_edges(const at::Tensor& edges) {
  const char* const kExpected = "[E, 2] Long on cpu";
  if (!edges.defined() || edges.scalar_type() != at::kLong ||
      !edges.device().is_cpu() || edges.dim() != 2) {
    fail_argument("edges", kExpected, edges);
  }
  if (edges.size(1) != 2) {
    fail_argument("edges", kExpected, edges,
                  edges.size(0) == 2 ? "; give edges.t()" : "");
  }
}

void check_labels(const at::Tensor& labels, int64_t num_nodes) {
  if (labels.scalar_type() != at::kLong || !labels.device().is_cpu() ||
      labels.dim() != 1 || labels.size(0) != num_nodes) {
    fail_argument("labels", fmt::format("[{}] Long on cpu", num_nodes), labels,
                  "; there is a row of features for every node");
  }
}

void check_finite(const at::Tensor& features) {
  const at::Tensor rows = features.contiguous();
  const float* const value = rows.data_ptr<float>();
  const int64_t width = rows.size(1);
  for (int64_t i = 0; i < rows.numel(); ++i) {
    if (std::isfinite(value[i])) continue;
    throw UsageError(fmt::format(
        "make_dataset: features must be finite, got {} for node {}, column {}; "
        "fill in or leave out what is missing",
        value[i], i / width, i % width));
  }
}

NodeFeatures checked_features(const at::Tensor& features) {
  const char* const kExpected = "[N, F] Float on cpu";
  if (!features.defined() || features.scalar_type() != at::kFloat ||
      !features.device().is_cpu() || features.dim() != 2) {
    const bool convertible =
        features.defined() && at::isFloatingType(features.scalar_type());
    fail_argument("features", kExpected, features,
                  convertible ? "; give features.to(at::kFloat).cpu()" : "");
  }
  check_finite(features);
  return NodeFeatures::dense(features.contiguous());
}

int64_t count_classes(const at::Tensor& labels,
                      const std::vector<std::string>& names) {
  const int64_t found =
      labels.numel() == 0 ? 0 : labels.max().item<int64_t>() + 1;
  return std::max(found, static_cast<int64_t>(names.size()));
}

void draw_array_splits(const ArrayOptions& options, RawDataset& raw) {
  const bool is_auto = options.split_set == "auto";
  const std::string form =
      is_auto ? data::default_split_form(kDrawnSplits) : options.split_set;
  try {
    data::draw_splits(form, options.split_seed, raw);
  } catch (const Error& error) {
    if (!is_auto) throw;
    raw.provenance.notes.push_back(
        fmt::format("no splits were drawn: {}", error.what()));
    return;
  }
  raw.provenance.notes.push_back("splits drawn: " + raw.split_set);
}

void add_splits(const ArrayOptions& options, RawDataset& raw) {
  if (!options.splits.empty()) {
    raw.splits = options.splits;
    raw.split_set = "given";
  } else if (options.split_set != "none" && raw.num_classes > 0) {
    draw_array_splits(options, raw);
  }
}

}  // namespace

NodeDataset make_dataset(const at::Tensor& edges, const NodeFeatures& features,
                         const at::Tensor& labels,
                         const ArrayOptions& options) {
  const ThreadScope threads;
  check_edges(edges);
  const int64_t num_nodes = features.num_nodes();
  if (labels.defined()) check_labels(labels, num_nodes);
  RawDataset raw;
  raw.name = options.name;
  raw.num_nodes = num_nodes;
  raw.edges = edges.t().contiguous();
  raw.edges_are_undirected = options.undirected;
  raw.edge_weights = options.edge_weights;
  raw.features = features;
  raw.labels = labels.defined() ? labels.contiguous()
                                : at::full({num_nodes}, -1, at::kLong);
  raw.num_classes = count_classes(raw.labels, options.class_names);
  raw.node_names = options.node_names;
  raw.class_names = options.class_names;
  raw.provenance.format = "arrays";
  validate(raw);
  add_splits(options, raw);
  raw.provenance.fingerprint = data::content_fingerprint(raw);
  const Treatment treatment = resolve_treatment(options.treatment, raw);
  raw.provenance.notes.push_back(fmt::format(
      "edges {}, self loops {}, features {}", to_string(treatment.direction),
      to_string(treatment.self_loops), to_string(treatment.features)));
  return prepare(raw, treatment);
}

NodeDataset make_dataset(const at::Tensor& edges, const at::Tensor& features,
                         const at::Tensor& labels,
                         const ArrayOptions& options) {
  return make_dataset(edges, checked_features(features), labels, options);
}

}  // namespace ordered_gnn
