#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace ordered_gnn::data {

/// Walks over the elements of an XML text: as much of XML as GraphML needs.
/// Comments, processing instructions and the DOCTYPE are skipped; the five
/// entities of XML and character references are resolved, others refused.
class XmlReader {
 public:
  enum class Event { begin, end, text, done };

  XmlReader(std::string_view text, const std::filesystem::path& file)
      : text_(text), file_(file) {}

  /// Moves on. An empty element gives begin and end.
  /// @throws Error at the line that is no XML.
  Event next();

  /// Name of the element of begin and end, without a namespace prefix.
  const std::string& name() const { return name_; }
  const std::map<std::string, std::string>& attributes() const {
    return attributes_;
  }
  /// Of a text.
  const std::string& content() const { return content_; }
  /// Line that the event begins in.
  int64_t line() const { return line_; }

  [[noreturn]] void fail(const std::string& message) const;

 private:
  void move_to(size_t position);
  bool skip_markup();
  void take_tag();
  std::string resolved(std::string_view raw) const;

  std::string_view text_;
  const std::filesystem::path& file_;
  size_t at_ = 0;
  int64_t next_line_ = 1;
  int64_t line_ = 1;
  bool ends_too_ = false;  // an empty element, whose end is to come
  std::string name_, content_;
  std::map<std::string, std::string> attributes_;
};

}  // namespace ordered_gnn::data
