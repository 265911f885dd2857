#pragma once
#include <array>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/io/file.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::core {

/// What becomes of a text that a spreadsheet would run as a formula, quoted or
/// not: one of two characters or more that begins with = + - @, a tab or a line
/// break, unless all of it is a number such as -5 or +1e3.
enum class FormulaText {
  kept,     ///< written as it is: what other programs read back is exact
  guarded,  ///< an apostrophe is put in front, so that it is shown and not run
};

/// Writes comma-separated lines (RFC 4180) field by field: the one writer of
/// all CSV of this program. A text is put in quotes when it holds a comma, a
/// quote or a line break, with quotes doubled; anything else is written as it
/// is, so that every reader gets back exactly what was given. Lines end in a
/// line feed.
///
/// Datasets keep texts as they are, for they are read back. Tables that people
/// open are guarded. That can be undone exactly: a text that has apostrophes in
/// front of such a beginning gets one more, so to read a guarded file, take one
/// off wherever apostrophes stand in front of = + - @, a tab or a line break.
class CsvWriter : NonCopyable {
 public:
  /// Into a file, which appears under its name with finish().
  explicit CsvWriter(const std::filesystem::path& file,
                     FormulaText formulas = FormulaText::kept)
      : formulas_(formulas) {
    file_.emplace(file);
  }
  /// To the end of `text`, which is complete after finish().
  explicit CsvWriter(std::string& text,
                     FormulaText formulas = FormulaText::kept)
      : formulas_(formulas), text_(&text) {}

  void field(int64_t number) { write_number(number); }
  /// With the fewest digits that read back as the same number.
  void field(float number) { write_number(number); }
  void field(double number) { write_number(number); }
  /// With so many significant digits, as printf writes "%.7g".
  void field(double number, int digits) {
    write_number(number, std::chars_format::general, digits);
  }
  void field(std::string_view text);
  void field(const std::string& text) { field(std::string_view(text)); }
  void field(const char* text) { field(std::string_view(text)); }

  void end_line() {
    // A line with nothing on it would be read as no line at all.
    if (is_blank_) append("\"\"");
    buffer_[used_++] = '\n';
    is_first_ = true;
    is_blank_ = false;
    if (used_ > buffer_.size() / 2) flush();
  }
  /// @throws Error when the file cannot be written.
  void finish();
  /// Texts that were given an apostrophe.
  int64_t num_guarded() const { return num_guarded_; }

 private:
  static constexpr size_t kMaxNumber = 40;  // with its comma and line end

  template <typename... Form>
  void write_number(Form... form) {
    if (buffer_.size() - used_ < kMaxNumber) flush();
    start_field();
    char* const begin = buffer_.data() + used_;
    const char* const end =
        std::to_chars(begin, begin + kMaxNumber - 2, form...).ptr;
    used_ += static_cast<size_t>(end - begin);
  }
  void start_field() {
    if (!is_first_) buffer_[used_++] = ',';
    is_first_ = false;
    is_blank_ = false;
  }
  void append(std::string_view text);
  void flush();

  const FormulaText formulas_;
  int64_t num_guarded_ = 0;
  std::optional<AtomicFile> file_;
  std::string* text_ = nullptr;
  std::array<char, size_t{1} << 16> buffer_;
  size_t used_ = 0;
  bool is_first_ = true;
  bool is_blank_ = false;
};

}  // namespace ordered_gnn::core
