#include "core/io/safetensors/header.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "core/io/json_reader.h"
#include "core/io/safetensors/range_builder.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

constexpr const char* kMetadata = "__metadata__";
// Many times what a network has. Each costs its memory and time: with a million
// of them a header of 100 MB would take seconds.
constexpr size_t kMaxTensors = size_t{1} << 18;
constexpr size_t kMaxMetadata = size_t{1} << 16;

// Fills a header while its text is read. There is no tree, which would be many
// times as large as the text.
class HeaderEvents : public nlohmann::json_sax<Json> {
 public:
  HeaderEvents(const std::string& place, SafetensorsHeader& header)
      : place_(place), header_(header) {}

  bool null() override { return add_other(); }
  bool boolean(bool /*value*/) override { return add_other(); }
  bool number_integer(int64_t /*value*/) override { return add_other(); }
  bool number_float(double /*value*/, const std::string& /*text*/) override {
    return add_other();
  }
  bool binary(Json::binary_t& /*value*/) override { return add_other(); }

  bool number_unsigned(uint64_t value) override {
    if (!tensor_) return add_other();
    tensor_->add_number(value);
    return end_value();
  }

  bool string(std::string& text) override {
    if (tensor_) {
      tensor_->add_text(text);
    } else if (depth_ == 2) {
      add_metadata(std::move(text));
    } else {
      refuse_metadata();
    }
    return end_value();
  }

  bool key(std::string& name) override {
    if (depth_ == 1) {
      begin_entry(name);
    } else if (depth_ == 2 && tensor_) {
      tensor_->begin_field(name);
    } else if (depth_ == 2) {
      key_ = name;
    }
    return true;
  }

  bool start_object(size_t /*size*/) override {
    if (depth_ == 2) add_other();
    return open();
  }

  bool start_array(size_t /*size*/) override {
    if (!tensor_) refuse_metadata();
    if (depth_ == 2) tensor_->begin_list();
    return open();
  }

  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool parse_error(size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& error) override {
    fail_in(place_, "bad header: " + json_reason(error));
  }

 private:
  [[noreturn]] void refuse_twice(const std::string& key) const {
    fail_in(place_, "bad header: '" + key + "' is there twice");
  }

  [[noreturn]] void refuse_metadata() const {
    if (depth_ < 2) fail_in(place_, "__metadata__ must be an object");
    fail_in(place_, "__metadata__ '" + key_ + "' must be a string");
  }

  void begin_entry(const std::string& name) {
    if (name != kMetadata) {
      tensor_.emplace(name, place_);
      return;
    }
    if (has_metadata_) refuse_twice(name);
    has_metadata_ = true;
  }

  void add_metadata(std::string text) {
    if (!header_.metadata.emplace(key_, std::move(text)).second) {
      refuse_twice(key_);
    }
    if (header_.metadata.size() > kMaxMetadata) {
      fail_in(place_, fmt::format("has more than {} metadata", kMaxMetadata));
    }
  }

  // A value that no header has, but perhaps as part of a bad tensor.
  bool add_other() {
    if (!tensor_) refuse_metadata();
    tensor_->add_other();
    return end_value();
  }

  bool open() {
    constexpr int kDeepest = 3;
    if (depth_ == kDeepest) {
      const std::string why = "nested deeper than safetensors are";
      if (tensor_) tensor_->refuse(why);
      fail_in(place_, "bad header: " + why);
    }
    ++depth_;
    return true;
  }

  bool close() {
    --depth_;
    if (depth_ == 2 && tensor_) tensor_->end_list();
    return end_value();
  }

  bool end_value() {
    if (depth_ != 1 || !tensor_) return true;
    header_.ranges.push_back(tensor_->finish());
    tensor_.reset();
    if (header_.ranges.size() > kMaxTensors) {
      fail_in(place_, fmt::format("has more than {} tensors", kMaxTensors));
    }
    return true;
  }

  const std::string& place_;
  SafetensorsHeader& header_;
  int depth_ = 0;                       ///< objects and lists that are open
  std::optional<RangeBuilder> tensor_;  ///< nothing within the metadata
  bool has_metadata_ = false;
  std::string key_;  ///< of the metadata
};

void require_single_names(const std::vector<TensorRange>& ranges,
                          const std::string& place) {
  std::vector<std::string_view> names;
  names.reserve(ranges.size());
  for (const TensorRange& range : ranges) names.emplace_back(range.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return;
  fail_in(place, fmt::format("bad header: '{}' is there twice", *twice));
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
  const std::string_view name = safetensors_type(range.dtype);
  if (!name.empty()) return name;
  fail_in(place, fmt::format("tensor '{}': type {} has no safetensors form",
                             range.name, c10::toString(range.dtype)));
}

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json,
                                           int64_t data_size,
                                           const std::string& place) {
  if (json.empty() || json.front() != '{') {
    fail_in(place, "bad header: it must start with '{'");
  }
  SafetensorsHeader header;
  HeaderEvents events(place, header);
  walk_json(json, events);
  require_single_names(header.ranges, place);
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
