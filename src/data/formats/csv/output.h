#pragma once
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <string_view>

#include "core/io/file.h"

namespace ordered_gnn::data {

/// Writes a comma-separated file field by field. Floats are written with the
/// fewest digits that read back as the same number.
class CsvOutput {
 public:
  explicit CsvOutput(const std::filesystem::path& file) : file_(file) {}

  void field(int64_t number) { write_number(number); }
  void field(float number) { write_number(number); }
  void field(double number) { write_number(number); }
  /// Quoted when it has to be. Line breaks cannot be written.
  void field(std::string_view text);

  void end_line() {
    buffer_[used_++] = '\n';
    first_in_line_ = true;
    if (used_ > buffer_.size() / 2) flush();
  }
  /// The file appears under its name.
  void finish();

 private:
  static constexpr size_t kMaxNumber = 32;  // with its comma and line end

  template <typename T>
  void write_number(T number) {
    if (buffer_.size() - used_ < kMaxNumber) flush();
    start_field();
    char* const begin = buffer_.data() + used_;
    const char* const end =
        std::to_chars(begin, begin + kMaxNumber - 2, number).ptr;
    used_ += static_cast<size_t>(end - begin);
  }
  void start_field() {
    if (!first_in_line_) buffer_[used_++] = ',';
    first_in_line_ = false;
  }
  void append(std::string_view text);
  void flush() {
    file_.write(buffer_.data(), used_);
    used_ = 0;
  }

  core::AtomicFile file_;
  std::array<char, size_t{1} << 16> buffer_;
  size_t used_ = 0;
  bool first_in_line_ = true;
};

}  // namespace ordered_gnn::data
