#include "scale/parts/assign.h"

#include <algorithm>

#include "core/io/npy/npy.h"
#include "core/io/text/text.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

int32_t checked_part(int64_t part, int64_t parts, const std::string& place) {
  if (part < 0 || part >= parts) {
    fail("{}: part {} is not in 0 to {}; --parts says how many there are",
         place, part, parts - 1);
  }
  return static_cast<int32_t>(part);
}

Assignment assignment_of_array(const std::filesystem::path& file, int64_t nodes,
                               int64_t parts) {
  const at::Tensor values = core::read_npy(file);
  if (values.dim() != 1 || values.numel() != nodes ||
      !at::isIntegralType(values.scalar_type(), /*includeBool=*/false)) {
    fail_in(file, fmt::format("expected {} whole numbers, one per node, got {} "
                              "values of type {}",
                              nodes, values.numel(),
                              c10::toString(values.scalar_type())));
  }
  const at::Tensor whole = values.to(at::kLong).contiguous();
  const int64_t* const value = whole.data_ptr<int64_t>();
  Assignment assignment;
  for (int64_t v = 0; v < nodes; ++v) {
    assignment.push_back(checked_part(
        value[v], parts, fmt::format("{}: node {}", file.string(), v)));
  }
  return assignment;
}

Assignment assignment_of_lines(const std::filesystem::path& file, int64_t nodes,
                               int64_t parts) {
  core::LineReader reader(file);
  Assignment assignment;
  std::string_view line;
  while (reader.next(line)) {
    const std::string_view text = core::trimmed(line);
    if (text.empty()) continue;
    const int64_t part = core::parse_integer(text, "part", reader.place());
    assignment.push_back(checked_part(
        part, parts, fmt::format("{}:{}", file.string(), reader.place().line)));
  }
  if (static_cast<int64_t>(assignment.size()) != nodes) {
    fail_in(file, fmt::format("has {} parts, expected one line for each of {} "
                              "nodes",
                              assignment.size(), nodes));
  }
  return assignment;
}

}  // namespace

void fill_empty_parts(int64_t parts, Assignment& assignment) {
  std::vector<int64_t> sizes(parts, 0);
  for (const int32_t part : assignment) ++sizes[part];
  for (int32_t p = 0; p < parts; ++p) {
    if (sizes[p] > 0) continue;
    const auto largest = static_cast<int32_t>(
        std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
    const auto node =
        std::find(assignment.rbegin(), assignment.rend(), largest);
    *node = p;
    --sizes[largest];
    ++sizes[p];
  }
}

Assignment assign_by_file(const std::filesystem::path& file, int64_t nodes,
                          int64_t parts) {
  Assignment assignment = file.extension() == ".npy"
                              ? assignment_of_array(file, nodes, parts)
                              : assignment_of_lines(file, nodes, parts);
  std::vector<bool> used(parts, false);
  for (const int32_t part : assignment) used[part] = true;
  for (int64_t p = 0; p < parts; ++p) {
    if (used[p]) continue;
    fail_in(file, fmt::format("puts no node into part {} of {}", p, parts));
  }
  return assignment;
}

std::string default_method() { return has_metis() ? "metis" : "stream"; }

Assignment assign_parts(const NodeDataset& data, int64_t parts,
                        const std::string& method) {
  const int64_t nodes = data.num_nodes();
  if (parts < 1 || parts > nodes) {
    throw UsageError(
        fmt::format("--parts {}: '{}' has {} nodes, and every part needs one",
                    parts, data.name, nodes));
  }
  const bool by_metis = method == "metis";
  if (!by_metis && method != "stream") {
    return assign_by_file(method, nodes, parts);
  }
  if (by_metis && !has_metis()) {
    throw UsageError(
        "--method metis: this build has no METIS; use --method stream, or "
        "install libmetis-dev and build again");
  }
  Assignment assignment(nodes, 0);
  if (parts > 1) {
    assignment =
        by_metis ? assign_by_metis(data, parts) : assign_by_stream(data, parts);
    fill_empty_parts(parts, assignment);
    order_parts(data.graph, parts, assignment);
  }
  return assignment;
}

}  // namespace ordered_gnn::scale
