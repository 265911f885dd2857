// libFuzzer's program for all targets. It fuzzes the one that it is called as:
// ordered_gnn_NAME_fuzz is a link to it.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/affixes.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace {

using ordered_gnn::fuzz::Dice;
using ordered_gnn::fuzz::Target;

const Target* chosen = nullptr;

const Target& target_called(const char* program) {
  const std::string called = std::filesystem::path(program).filename();
  std::string_view name = called;
  ordered_gnn::core::take_prefix(name, "ordered_gnn_");
  ordered_gnn::core::take_suffix(name, "_fuzz");
  const Target* target = ordered_gnn::fuzz::find_target(name);
  if (target == nullptr) {
    std::fprintf(stderr, "there is no fuzz target for '%s'\n", called.c_str());
    std::exit(2);
  }
  return *target;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* /*argc*/, char*** argv) {
  chosen = &target_called((*argv)[0]);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return ordered_gnn::fuzz::run(data, size, chosen->read);
}

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// What the target's mutator makes of an input, and in a quarter of all cases,
// or where it has nothing to offer, what libFuzzer does.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned seed) {
  Dice dice(seed);
  if (chosen->mutate != nullptr && !dice.once_in(4)) {
    const std::string made = chosen->mutate(
        std::string_view(reinterpret_cast<const char*>(data), size), dice);
    if (!made.empty() && made.size() <= max_size) {
      std::copy(made.begin(), made.end(), data);
      return made.size();
    }
  }
  return LLVMFuzzerMutate(data, size, max_size);
}
