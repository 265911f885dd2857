#include "core/io/json_reader.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "core/io/file.h"

namespace ordered_gnn::core {
namespace {

// Characters of a text that say how far they were read, for the events of the
// parser do not.
class CountedChars {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountedChars(const char* next, const char** read)
      : next_(next), read_(read) {}

  reference operator*() const { return *next_; }
  CountedChars& operator++() {
    *read_ = ++next_;
    return *this;
  }
  bool operator==(const CountedChars& other) const {
    return next_ == other.next_;
  }
  bool operator!=(const CountedChars& other) const {
    return next_ != other.next_;
  }

 private:
  const char* next_;
  const char** read_;
};

// What is wrong with a text, and behind which of its bytes.
struct JsonProblem {
  std::string why;
  size_t byte = 0;
};

// Builds a tree no deeper than allowed. The library's own way to stop a parser
// looks through all earlier values whenever one ends.
template <typename Tree>
class TreeBuilder {
 public:
  TreeBuilder(const char* begin, const char* const& read, bool unique_keys)
      : begin_(begin), read_(read), unique_keys_(unique_keys) {}

  bool null() { return add(Tree()); }
  bool boolean(bool value) { return add(Tree(value)); }
  bool number_integer(int64_t value) { return add(Tree(value)); }
  bool number_unsigned(uint64_t value) { return add(Tree(value)); }
  bool number_float(double value, const std::string& /*text*/) {
    return add(Tree(value));
  }
  bool string(std::string& value) { return add(Tree(std::move(value))); }
  bool binary(typename Tree::binary_t& /*value*/) { return false; }
  bool start_object(size_t /*size*/) { return open(Tree::object()); }
  bool start_array(size_t /*size*/) { return open(Tree::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool key(std::string& name) {
    Tree& object = *open_.back();
    if (unique_keys_ && object.contains(name)) {
      problem = {fmt::format("an object has the key '{}' twice", name),
                 static_cast<size_t>(read_ - begin_)};
      return false;
    }
    slot_ = &object[name];
    return true;
  }
  bool parse_error(size_t position, const std::string& /*token*/,
                   const Json::exception& error) {
    problem = {"is no JSON: ", position};
    const std::string reason = json_reason(error);
    // The rest repeats the place.
    const size_t syntax = reason.find("syntax error");
    problem.why += reason.substr(syntax == std::string::npos ? 0 : syntax);
    return false;
  }

  Tree root;
  JsonProblem problem;

 private:
  Tree* put(Tree value) {
    if (open_.empty()) {
      root = std::move(value);
      return &root;
    }
    Tree& parent = *open_.back();
    if (!parent.is_array()) {
      *slot_ = std::move(value);
      return slot_;
    }
    parent.push_back(std::move(value));
    return &parent.back();
  }

  bool add(Tree value) {
    put(std::move(value));
    return true;
  }

  bool open(Tree value) {
    if (open_.size() >= static_cast<size_t>(kMaxJsonDepth)) {
      problem = {fmt::format("is nested deeper than {} levels", kMaxJsonDepth),
                 static_cast<size_t>(read_ - begin_)};
      return false;
    }
    // Pointers to parents stay: a parent gets nothing while a child is open.
    open_.push_back(put(std::move(value)));
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  const char* const begin_;
  const char* const& read_;
  const bool unique_keys_;
  std::vector<Tree*> open_;
  Tree* slot_ = nullptr;  ///< of the key before
};

// "line 2, column 7: "; a text of one line has columns alone, for it may be a
// line of a file.
std::string text_place(std::string_view text, size_t byte) {
  const std::string_view before =
      text.substr(0, std::min(byte > 0 ? byte - 1 : 0, text.size()));
  const size_t newline = before.rfind('\n');
  const size_t column =
      before.size() - (newline == std::string_view::npos ? 0 : newline + 1) + 1;
  if (text.find('\n') == std::string_view::npos) {
    return fmt::format("column {}", column);
  }
  return fmt::format("line {}, column {}",
                     1 + std::count(before.begin(), before.end(), '\n'),
                     column);
}

// Nothing, and in `why` the reason, for a text that is not allowed.
template <typename Tree>
std::optional<Tree> parse_tree(std::string_view text, const JsonRules& rules,
                               std::string& why) {
  if (static_cast<int64_t>(text.size()) > rules.max_bytes) {
    why = fmt::format("has {} bytes of JSON, at most {} are read here",
                      text.size(), rules.max_bytes);
    return std::nullopt;
  }
  const char* read = text.data();
  TreeBuilder<Tree> builder(text.data(), read, rules.unique_keys);
  const bool is_good = Tree::sax_parse(
      CountedChars(text.data(), &read),
      CountedChars(text.data() + text.size(), &read), &builder,
      Tree::input_format_t::json, /*strict=*/true, rules.comments);
  if (is_good) return std::move(builder.root);
  why = fmt::format("{} ({})", builder.problem.why,
                    text_place(text, builder.problem.byte));
  return std::nullopt;
}

template <typename Tree>
Tree parse_or_fail(std::string_view text, const std::string& place,
                   const JsonRules& rules) {
  std::string why;
  std::optional<Tree> tree = parse_tree<Tree>(text, rules, why);
  if (!tree) fail_in(place, why);
  return std::move(*tree);
}

}  // namespace

Json parse_json(std::string_view text, const std::string& place,
                const JsonRules& rules) {
  return parse_or_fail<Json>(text, place, rules);
}

OrderedJson parse_ordered_json(std::string_view text, const std::string& place,
                               const JsonRules& rules) {
  return parse_or_fail<OrderedJson>(text, place, rules);
}

std::optional<Json> parse_json_or_nothing(std::string_view text,
                                          const JsonRules& rules) {
  std::string ignored;
  return parse_tree<Json>(text, rules, ignored);
}

Json read_json(const std::filesystem::path& file, const JsonRules& rules) {
  return parse_json(read_file(file, rules.max_bytes), file.string(), rules);
}

void walk_json(std::string_view text, nlohmann::json_sax<Json>& events) {
  Json::sax_parse(text.begin(), text.end(), &events);
}

std::string json_reason(const Json::exception& error) {
  const std::string_view what = error.what();
  const size_t end = what.find("] ");
  return std::string(what.substr(end == what.npos ? 0 : end + 2));
}

}  // namespace ordered_gnn::core
