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

}  // namespace

void judge_together(Group& group, const std::string& said,
                    const Judgement& judgement) {
  std::string verdict;
  if (group.rank() > 0) {
    send_text(group, said, 0);
    verdict = receive_text(group, 0);
  } else {
    std::vector<std::string> all = {said};
    for (int64_t r = 1; r < group.size(); ++r) {
      all.push_back(receive_text(group, r));
    }
    verdict = judgement(all);
    for (int64_t r = 1; r < group.size(); ++r) send_text(group, verdict, r);
  }
  if (!verdict.empty()) throw Error(verdict);
}

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
  judge_together(
      group, facts.dump(), [&](const std::vector<std::string>& said) {
        std::string verdict;
        for (size_t r = 1; r < said.size() && verdict.empty(); ++r) {
          const Json other =
              core::parse_json(said[r], fmt::format("what rank {} said", r));
          verdict = difference(static_cast<int64_t>(r), facts, other);
        }
        return verdict;
      });
}

void require_no_objection(Group& group, const std::string& objection) {
  judge_together(group, objection, [](const std::vector<std::string>& said) {
    if (said.size() == 1) return said.front();
    for (size_t r = 0; r < said.size(); ++r) {
      if (!said[r].empty()) return fmt::format("rank {}: {}", r, said[r]);
    }
    return std::string();
  });
}

}  // namespace ordered_gnn::scale
