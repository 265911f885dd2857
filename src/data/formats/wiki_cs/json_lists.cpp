#include "data/formats/wiki_cs/json_lists.h"

#include <cmath>
#include <limits>

#include "core/io/gzip_input.h"
#include "core/io/json_reader.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

const char* kind_text(JsonList::Kind kind) {
  return core::word_of(kind, {{JsonList::Kind::numbers, "finite numbers"},
                              {JsonList::Kind::integers, "integers"},
                              {JsonList::Kind::flags, "true and false"}});
}

// What the parser tells of, put where it belongs.
class ListFiller : public nlohmann::json_sax<Json> {
 public:
  ListFiller(const std::filesystem::path& file,
             const std::vector<JsonList*>& lists)
      : file_(file), lists_(lists) {}

  bool null() override { return take_other("null"); }
  bool boolean(bool value) override {
    if (is_passed_over()) return true;
    if (list_->kind != JsonList::Kind::flags) fail_value("true or false");
    list_->flags.push_back(value ? 1 : 0);
    return true;
  }
  bool number_integer(number_integer_t value) override {
    return take_integer(value);
  }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return take_number(static_cast<double>(value));
    }
    return take_integer(static_cast<int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    return take_number(value);
  }
  bool string(string_t& /*value*/) override { return take_other("a text"); }
  bool binary(binary_t& /*value*/) override { return take_other("bytes"); }

  bool start_object(size_t /*size*/) override {
    if (depth_ > 0 && list_ != nullptr) fail_value("an object");
    ++depth_;
    return true;
  }
  bool key(string_t& name) override {
    if (depth_ == 1) list_ = find(name);
    return true;
  }
  bool end_object() override { return leave(); }

  bool start_array(size_t /*size*/) override {
    if (depth_ == 0) fail_top();
    if (list_ != nullptr && depth_ > deepest()) fail_value("a list");
    ++depth_;
    return true;
  }
  bool end_array() override {
    if (list_ != nullptr && list_->is_nested && depth_ == deepest() + 1) {
      list_->row_end.push_back(list_->num_values());
    }
    return leave();
  }

  bool parse_error(size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& error) override {
    fail_in(file_, error.what());
  }

 private:
  // The object itself is depth 1, a list in it 2, a list in that 3.
  int64_t deepest() const { return list_->is_nested ? 2 : 1; }

  JsonList* find(const std::string& name) const {
    for (JsonList* const one : lists_) {
      if (one->key != name) continue;
      if (one->is_there) fail_in(file_, name + ": is there twice");
      one->is_there = true;
      return one;
    }
    return nullptr;
  }

  bool leave() {
    --depth_;
    if (depth_ == 1) list_ = nullptr;
    return true;
  }

  // A value of a key that nobody asked for; other values must be in a list, as
  // deep as it is.
  bool is_passed_over() const {
    if (depth_ == 0) fail_top();
    if (list_ == nullptr) return true;
    if (depth_ != deepest() + 1) fail_value("a value outside of them");
    return false;
  }

  bool take_integer(int64_t value) {
    if (is_passed_over()) return true;
    switch (list_->kind) {
      case JsonList::Kind::numbers:
        return take_number(static_cast<double>(value));
      case JsonList::Kind::integers:
        list_->integers.push_back(value);
        return true;
      case JsonList::Kind::flags:
        break;
    }
    if (value != 0 && value != 1) fail_value(std::to_string(value));
    list_->flags.push_back(static_cast<uint8_t>(value));
    return true;
  }

  bool take_number(double value) {
    if (is_passed_over()) return true;
    if (list_->kind != JsonList::Kind::numbers ||
        !(std::fabs(value) <= std::numeric_limits<float>::max())) {
      fail_value(fmt::format("{}", value));
    }
    list_->numbers.push_back(static_cast<float>(value));
    return true;
  }

  bool take_other(const char* what) const {
    if (!is_passed_over()) fail_value(what);
    return true;
  }

  [[noreturn]] void fail_top() const {
    fail_in(file_, "expected one JSON object, found another value");
  }

  [[noreturn]] void fail_value(const std::string& found) const {
    const std::string place =
        list_->is_nested ? fmt::format("row {}: ", list_->num_rows()) : "";
    fail_in(file_,
            fmt::format("{}: {}expected a list {}of {}, found {}", list_->key,
                        place, list_->is_nested ? "of lists " : "",
                        kind_text(list_->kind), found));
  }

  const std::filesystem::path& file_;
  const std::vector<JsonList*>& lists_;
  JsonList* list_ = nullptr;  // the one being read
  int64_t depth_ = 0;         // of objects and lists that are open
};

}  // namespace

int64_t JsonList::num_values() const {
  switch (kind) {
    case Kind::numbers:
      return static_cast<int64_t>(numbers.size());
    case Kind::integers:
      return static_cast<int64_t>(integers.size());
    case Kind::flags:
      break;
  }
  return static_cast<int64_t>(flags.size());
}

void read_json_lists(const std::filesystem::path& file,
                     const std::vector<JsonList*>& lists, int64_t max_bytes) {
  const std::string text = core::read_plain_or_gzipped(file, max_bytes);
  ListFiller filler(file, lists);
  core::walk_json(text, filler);
}

}  // namespace ordered_gnn::data
