#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/io/safetensors/header.h"

namespace ordered_gnn::core {

/// One tensor of a header, whose description comes in piece by piece. What does
/// not fit is told by finish(), when all of it is there; what is wrong with the
/// text as such is told before.
class RangeBuilder {
 public:
  /// @param place  the file, for errors; must outlive the builder.
  RangeBuilder(const std::string& name, const std::string& place);

  /// @throws Error when the field was there before.
  void begin_field(const std::string& key);
  void add_text(const std::string& text);
  void begin_list();
  void end_list() { is_list_ = false; }
  void add_number(uint64_t number);
  /// @throws Error naming place and tensor.
  [[noreturn]] void refuse(const std::string& why) const;
  /// A value that has no place in a header.
  void add_other();

  /// @throws Error naming place and tensor for the first thing that is missing
  ///         or does not fit. The builder is spent afterwards.
  TensorRange finish();

 private:
  enum class Field { dtype, shape, offsets, unknown };

  static const char* text_of(Field field);
  std::string list_text() const;
  std::string number_text() const;
  void complain(const std::string& why);
  void check_size() const;

  const std::string& place_;
  TensorRange range_{};
  std::vector<int64_t> offsets_;
  Field field_ = Field::unknown;
  std::array<bool, 3> has_{};
  size_t num_fields_ = 0;
  bool is_list_ = false;
  std::string problem_;
};

}  // namespace ordered_gnn::core
