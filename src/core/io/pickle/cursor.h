#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "core/io/little_endian.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {

/// Walks over the bytes of a pickle and knows the opcode that is being read,
/// which every refusal names.
class PickleCursor {
 public:
  PickleCursor(std::string_view bytes, const std::string& place)
      : bytes_(bytes), place_(place) {}

  size_t remaining() const { return bytes_.size() - next_; }

  /// The next opcode.
  uint8_t start_opcode() {
    start_ = next_;
    name_ = "the next opcode";
    return number<uint8_t>();
  }
  void set_name(const char* name) { name_ = name; }

  /// A little-endian number.
  template <typename T>
  T number() {
    return load_le<T>(bytes_.data() + take(sizeof(T)));
  }

  /// Skips `size` bytes; returns the offset of the first.
  size_t take(size_t size) {
    if (size > remaining()) {
      refuse(
          fmt::format("needs {} bytes but {} are left; the data is "
                      "truncated or damaged",
                      size, remaining()));
    }
    const size_t offset = next_;
    next_ += size;
    return offset;
  }

  /// The text up to the next line end, which is skipped.
  std::string_view line() {
    const size_t stop = bytes_.find('\n', next_);
    if (stop == std::string_view::npos) {
      refuse("needs a line of text that ends; the data is truncated");
    }
    const std::string_view text = bytes_.substr(next_, stop - next_);
    next_ = stop + 1;
    return text;
  }

  [[noreturn]] void refuse(const std::string& why) const {
    fail_in(place_,
            fmt::format("bad pickle: {} at byte {} {}", name_, start_, why));
  }

 private:
  std::string_view bytes_;
  const std::string& place_;
  size_t next_ = 0;
  size_t start_ = 0;
  const char* name_ = "the start";
};

}  // namespace ordered_gnn::core
