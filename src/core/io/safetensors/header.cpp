#include "core/io/safetensors/header.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "core/io/tensor_memory.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

using Json = nlohmann::json;

constexpr const char* kMetadata = "__metadata__";
constexpr size_t kMaxDims = 64;

struct TypeName {
  std::string_view name;
  at::ScalarType dtype;
};

constexpr std::array<TypeName, 10> kTypeNames = {{
    {"BOOL", at::kBool},
    {"U8", at::kByte},
    {"I8", at::kChar},
    {"I16", at::kShort},
    {"I32", at::kInt},
    {"I64", at::kLong},
    {"F16", at::kHalf},
    {"BF16", at::kBFloat16},
    {"F32", at::kFloat},
    {"F64", at::kDouble},
}};

// Refuses, while parsing, what the tree would hide (a key given twice) and what
// would make the tree large (nesting).
class StrictCallback {
 public:
  explicit StrictCallback(const std::string& place) : place_(place) {}

  bool operator()(int depth, Json::parse_event_t event, Json& value) {
    using Event = Json::parse_event_t;
    const size_t level = static_cast<size_t>(depth);
    if (event == Event::object_start || event == Event::array_start) {
      if (level >= keys_.size()) {
        fail_in(place_, "bad header: nested deeper than safetensors are");
      }
      keys_[level].clear();
    } else if (event == Event::key) {
      // A key's depth counts the object it stands in.
      const std::string& key = value.get_ref<const std::string&>();
      if (!keys_[level - 1].insert(key).second) {
        fail_in(place_, "bad header: '" + key + "' is there twice");
      }
    }
    return true;
  }

 private:
  const std::string& place_;
  std::array<std::set<std::string>, 3> keys_;
};

Json parse_strictly(std::string_view text, const std::string& place) {
  if (text.empty() || text.front() != '{') {
    fail_in(place, "bad header: it must start with '{'");
  }
  StrictCallback strict(place);
  try {
    return Json::parse(text.begin(), text.end(), std::ref(strict));
  } catch (const Json::exception& error) {
    fail_in(place, std::string("bad header: ") + error.what());
  }
}

// Turns one JSON value into one TensorRange; errors name both file and tensor.
class RangeParser {
 public:
  RangeParser(const std::string& name, const Json& value,
              const std::string& place)
      : name_(name), value_(value), place_(place) {}

  TensorRange parse() const {
    if (!value_.is_object() || value_.size() != 3) {
      refuse("expected dtype, shape and data_offsets");
    }
    TensorRange range;
    range.name = name_;
    range.dtype = parse_dtype(field("dtype"));
    range.shape = parse_numbers(field("shape"), "shape");
    const std::vector<int64_t> offsets =
        parse_numbers(field("data_offsets"), "data_offsets");
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
      refuse("data_offsets must be [begin, end]");
    }
    range.begin = offsets[0];
    range.size = offsets[1] - offsets[0];
    check_size(range);
    return range;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    fail_in(place_, fmt::format("tensor '{}': {}", name_, why));
  }

  const Json& field(const char* key) const {
    const auto found = value_.find(key);
    if (found == value_.end()) refuse(fmt::format("has no {}", key));
    return *found;
  }

  at::ScalarType parse_dtype(const Json& value) const {
    if (!value.is_string()) refuse("dtype must be a string");
    const std::string& name = value.get_ref<const std::string&>();
    for (const TypeName& type : kTypeNames) {
      if (type.name == name) return type.dtype;
    }
    refuse("dtype '" + name + "' is not read");
  }

  std::vector<int64_t> parse_numbers(const Json& value, const char* key) const {
    if (!value.is_array() || value.size() > kMaxDims) {
      refuse(fmt::format("{} must be a list of at most 64 numbers", key));
    }
    std::vector<int64_t> numbers;
    for (const Json& item : value) {
      constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
      if (!item.is_number_unsigned() || item.get<uint64_t>() > kMax) {
        refuse(fmt::format("{} must hold integers from 0 on", key));
      }
      numbers.push_back(static_cast<int64_t>(item.get<uint64_t>()));
    }
    return numbers;
  }

  void check_size(const TensorRange& range) const {
    const int64_t count =
        checked_numel(range.shape, place_ + ": tensor '" + name_ + "'");
    const int64_t width = static_cast<int64_t>(c10::elementSize(range.dtype));
    if (range.size % width != 0 || range.size / width != count) {
      refuse(
          fmt::format("shape [{}] of {} bytes each does not match the {} "
                      "bytes of data_offsets",
                      fmt::join(range.shape, ", "), width, range.size));
    }
  }

  const std::string& name_;
  const Json& value_;
  const std::string& place_;
};

std::map<std::string, std::string> parse_metadata(const Json& value,
                                                  const std::string& place) {
  if (!value.is_object()) fail_in(place, "__metadata__ must be an object");
  std::map<std::string, std::string> metadata;
  for (const auto& [key, text] : value.items()) {
    if (!text.is_string()) {
      fail_in(place, "__metadata__ '" + key + "' must be a string");
    }
    metadata[key] = text.get<std::string>();
  }
  return metadata;
}

void check_tiling(std::vector<TensorRange>& ranges, int64_t data_size,
                  const std::string& place) {
  std::sort(ranges.begin(), ranges.end(),
            [](const TensorRange& a, const TensorRange& b) {
              return std::tie(a.begin, a.size, a.name) <
                     std::tie(b.begin, b.size, b.name);
            });
  int64_t end = 0;
  for (const TensorRange& range : ranges) {
    if (range.begin != end) {
      fail_in(place, fmt::format("tensor '{}': starts at byte {}, expected {}; "
                                 "tensors must neither overlap nor leave gaps",
                                 range.name, range.begin, end));
    }
    end += range.size;
  }
  if (end != data_size) {
    fail_in(place, fmt::format("the header describes {} bytes of data, {} are "
                               "there; the file may be truncated",
                               end, data_size));
  }
}

std::string_view type_name(const TensorRange& range, const std::string& place) {
  for (const TypeName& type : kTypeNames) {
    if (type.dtype == range.dtype) return type.name;
  }
  fail_in(place, fmt::format("tensor '{}': type {} has no safetensors form",
                             range.name, c10::toString(range.dtype)));
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json,
                                           int64_t data_size,
                                           const std::string& place) {
  const Json tree = parse_strictly(json, place);
  SafetensorsHeader header;
  for (const auto& [name, value] : tree.items()) {
    if (name == kMetadata) {
      header.metadata = parse_metadata(value, place);
    } else {
      header.ranges.push_back(RangeParser(name, value, place).parse());
    }
  }
  check_tiling(header.ranges, data_size, place);
  return header;
}

std::string format_safetensors_header(const SafetensorsHeader& header,
                                      const std::string& place) {
  Json tree = Json::object();
  if (!header.metadata.empty()) tree[kMetadata] = header.metadata;
  for (const TensorRange& range : header.ranges) {
    if (range.name == kMetadata) {
      fail_in(place, "a tensor must not be named __metadata__");
    }
    tree[range.name] = {
        {"dtype", type_name(range, place)},
        {"shape", range.shape},
        {"data_offsets", {range.begin, range.begin + range.size}}};
  }
  try {
    return tree.dump();
  } catch (const Json::exception&) {
    fail_in(place, "a name or a metadata text is not valid UTF-8");
  }
}

}  // namespace ordered_gnn::core
