#include "scale/ranks/handshake.h"

#include <torch/types.h>

#include "core/io/json_reader.h"
#include "core/simd.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::scale {
namespace {

at::Tensor bytes_of(const std::string& text) {
  return torch::from_blob(const_cast<char*>(text.data()),
                          {static_cast<int64_t>(text.size())}, torch::kChar)
      .clone();
}

std::string text_of(const at::Tensor& bytes) {
  return {static_cast<const char*>(bytes.data_ptr()),
          static_cast<size_t>(bytes.numel())};
}

void send_text(Group& group, const std::string& text, int64_t to) {
  group.send(torch::full({1}, static_cast<int64_t>(text.size()), torch::kLong),
             to);
  if (!text.empty()) group.send(bytes_of(text), to);
}

std::string receive_text(Group& group, int64_t from) {
  at::Tensor size = torch::zeros({1}, torch::kLong);
  group.receive(size, from);
  at::Tensor bytes = torch::empty({size.item<int64_t>()}, torch::kChar);
  if (bytes.numel() > 0) group.receive(bytes, from);
  return text_of(bytes);
}

// What differs between a rank and rank 0; empty when nothing does.
std::string difference(int64_t rank, const Json& own, const Json& other) {
  for (const auto& [name, value] : own.items()) {
    const Json found = other.value(name, Json());
    if (found == value) continue;
    const auto shown = [](const Json& json) {
      return json.is_string() ? json.get<std::string>() : json.dump();
    };
    return fmt::format(
        "rank {} does not fit rank 0: its {} is {}, that of rank 0 {}; start "
        "all ranks with the same program, command and parts",
        rank, name, shown(found), shown(value));
  }
  return "";
}

}  // namespace

Json rank_facts(const RunOptions& options, const PartsManifest& manifest,
                Wire wire) {
  Json facts = run_identity(options, "");
  facts.erase("fingerprint");
  // Where the parts lie may differ; what they are is compared.
  facts.erase("data");
  facts["splits"] = options.splits;
  facts["wire"] = to_string(wire);
  facts["version"] = kVersion;
  facts["commit"] = kCommit;
  facts["instruction set"] = core::to_string(core::simd_level());
  facts["fingerprint of the parts"] = parts_fingerprint(manifest);
  return facts;
}

void compare_facts(Group& group, const Json& facts) {
  if (group.size() == 1) return;
  if (group.rank() > 0) {
    send_text(group, facts.dump(), 0);
    const std::string verdict = receive_text(group, 0);
    if (!verdict.empty()) throw Error(verdict);
    return;
  }
  std::string verdict;
  for (int64_t r = 1; r < group.size(); ++r) {
    const Json other = core::parse_json(receive_text(group, r),
                                        fmt::format("what rank {} said", r));
    if (verdict.empty()) verdict = difference(r, facts, other);
  }
  for (int64_t r = 1; r < group.size(); ++r) send_text(group, verdict, r);
  if (!verdict.empty()) throw Error(verdict);
}

}  // namespace ordered_gnn::scale
