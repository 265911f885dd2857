#include "scale/ranks/wire.h"

#include <vector>

#include "core/names.h"

namespace ordered_gnn::scale {
namespace {

const std::vector<std::string> kWireNames = {"fp32", "bf16"};

}  // namespace

std::string to_string(Wire wire) {
  return kWireNames[static_cast<size_t>(wire)];
}

Wire parse_wire(const std::string& name) {
  return core::parse_enum<Wire>("value of --wire", name, kWireNames);
}

int64_t wire_bytes_per_value(Wire wire) { return wire == Wire::bf16 ? 2 : 4; }

}  // namespace ordered_gnn::scale
