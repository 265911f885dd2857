#include "scale/ranks/handshake.h"

#include <torch/types.h>

#include <functional>

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

std::string shown(const Json& fact) {
  if (fact.is_null()) return "at its default";
  return fact.is_string() ? fact.get<std::string>() : fact.dump();
}

// All that differs between a rank and rank 0, for one option may bring others
// along; empty when nothing does. Settings at their defaults may be left out,
// on either side.
std::string difference(int64_t rank, const Json& own, const Json& other) {
  Json names = own;
  names.update(other);
  std::string all;
  for (const auto& [name, any] : names.items()) {
    const Json value = own.value(name, Json());
    const Json found = other.value(name, Json());
    if (found == value) continue;
    all +=
        fmt::format("{}its {} is {}, that of rank 0 {}",
                    all.empty() ? "" : "; ", name, shown(found), shown(value));
  }
  if (all.empty()) return "";
  return fmt::format(
      "rank {} does not fit rank 0: {}; start all ranks with the same program, "
      "command and parts",
      rank, all);
}

// All say something to rank 0, whose verdict on it is thrown on every rank; the
// first that is not empty counts.
void judge(Group& group, const std::string& said,
           const std::function<std::string(int64_t rank,
                                           const std::string& said)>& opinion) {
  if (group.size() == 1) return;
  std::string verdict;
  if (group.rank() > 0) {
    send_text(group, said, 0);
    verdict = receive_text(group, 0);
  } else {
    verdict = opinion(0, said);
    for (int64_t r = 1; r < group.size(); ++r) {
      const std::string other = receive_text(group, r);
      if (verdict.empty()) verdict = opinion(r, other);
    }
    for (int64_t r = 1; r < group.size(); ++r) send_text(group, verdict, r);
  }
  if (!verdict.empty()) throw Error(verdict);
}

}  // namespace

Json rank_facts(const RunOptions& options, const PartsManifest& manifest,
                Wire wire, bool spills) {
  Json facts = run_identity(options, "");
  facts.erase("fingerprint");
  // Where the parts lie may differ; what they are is compared.
  facts.erase("data");
  facts["splits"] = options.splits;
  // The same bits, but rows are fetched again.
  facts["checkpoint-layers"] = options.train.checkpoint_layers;
  facts["wire"] = to_string(wire);
  facts["limit of memory (--memory)"] = spills ? "there" : "not there";
  facts["version"] = kVersion;
  facts["commit"] = kCommit;
  facts["instruction set"] = core::to_string(core::simd_level());
  facts["fingerprint of the parts"] = parts_fingerprint(manifest);
  return facts;
}

void compare_facts(Group& group, const Json& facts) {
  judge(group, facts.dump(), [&](int64_t rank, const std::string& said) {
    if (rank == 0) return std::string();
    const Json other =
        core::parse_json(said, fmt::format("what rank {} said", rank));
    return difference(rank, facts, other);
  });
}

void require_no_objection(Group& group, const std::string& objection) {
  if (group.size() == 1 && !objection.empty()) throw Error(objection);
  judge(group, objection, [](int64_t rank, const std::string& said) {
    return said.empty() ? said : fmt::format("rank {}: {}", rank, said);
  });
}

}  // namespace ordered_gnn::scale
