#include "core/io/safetensors/range_builder.h"

#include <fmt/ranges.h>

#include <limits>
#include <utility>

#include "core/io/tensor_memory.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

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

}  // namespace

std::string_view safetensors_type(at::ScalarType dtype) {
  for (const TypeName& type : kTypeNames) {
    if (type.dtype == dtype) return type.name;
  }
  return {};
}

RangeBuilder::RangeBuilder(const std::string& name, const std::string& place)
    : place_(place) {
  range_.name = name;
}

const char* RangeBuilder::text_of(Field field) {
  return core::word_of(field, {{Field::dtype, "dtype"},
                               {Field::shape, "shape"},
                               {Field::offsets, "data_offsets"},
                               {Field::unknown, ""}});
}

void RangeBuilder::begin_field(const std::string& key) {
  ++num_fields_;
  field_ = Field::unknown;
  for (size_t i = 0; i < has_.size(); ++i) {
    const auto field = static_cast<Field>(i);
    if (key != text_of(field)) continue;
    if (has_[i]) fail_in(place_, "bad header: '" + key + "' is there twice");
    has_[i] = true;
    field_ = field;
  }
}

void RangeBuilder::add_text(const std::string& text) {
  if (field_ != Field::dtype || is_list_) {
    add_other();
    return;
  }
  for (const TypeName& type : kTypeNames) {
    if (type.name != text) continue;
    range_.dtype = type.dtype;
    return;
  }
  complain("dtype '" + text + "' is not read");
}

void RangeBuilder::begin_list() {
  if (field_ == Field::dtype) add_other();
  is_list_ = true;
}

void RangeBuilder::add_number(uint64_t number) {
  constexpr uint64_t kMax = std::numeric_limits<int64_t>::max();
  const bool takes = field_ == Field::shape || field_ == Field::offsets;
  if (!takes || !is_list_ || number > kMax) {
    add_other();
    return;
  }
  std::vector<int64_t>& list = field_ == Field::shape ? range_.shape : offsets_;
  if (list.size() < kMaxDims) {
    list.push_back(static_cast<int64_t>(number));
  } else {
    complain(list_text());
  }
}

void RangeBuilder::add_other() {
  if (field_ == Field::unknown) return;  // refused for its field
  if (field_ == Field::dtype) {
    complain("dtype must be a string");
  } else {
    complain(is_list_ ? number_text() : list_text());
  }
}

TensorRange RangeBuilder::finish() {
  if (num_fields_ != has_.size()) {
    refuse("expected dtype, shape and data_offsets");
  }
  for (size_t i = 0; i < has_.size(); ++i) {
    if (!has_[i])
      refuse(fmt::format("has no {}", text_of(static_cast<Field>(i))));
  }
  if (!problem_.empty()) refuse(problem_);
  if (offsets_.size() != 2 || offsets_[0] > offsets_[1]) {
    refuse("data_offsets must be [begin, end]");
  }
  range_.begin = offsets_[0];
  range_.size = offsets_[1] - offsets_[0];
  check_size();
  return std::move(range_);
}

std::string RangeBuilder::list_text() const {
  return fmt::format("{} must be a list of at most {} numbers", text_of(field_),
                     kMaxDims);
}

std::string RangeBuilder::number_text() const {
  return fmt::format("{} must hold integers from 0 on", text_of(field_));
}

void RangeBuilder::complain(const std::string& why) {
  if (problem_.empty()) problem_ = why;
}

void RangeBuilder::refuse(const std::string& why) const {
  fail_in(place_, fmt::format("tensor '{}': {}", range_.name, why));
}

void RangeBuilder::check_size() const {
  const int64_t count =
      checked_numel(range_.shape, place_ + ": tensor '" + range_.name + "'");
  const int64_t width = static_cast<int64_t>(c10::elementSize(range_.dtype));
  if (range_.size % width != 0 || range_.size / width != count) {
    refuse(
        fmt::format("shape [{}] of {} bytes each does not match the {} bytes "
                    "of data_offsets",
                    fmt::join(range_.shape, ", "), width, range_.size));
  }
}

}  // namespace ordered_gnn::core
