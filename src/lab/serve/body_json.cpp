#include "lab/serve/body_json.h"

#include <set>
#include <vector>

#include "core/io/json_reader.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

// Looks for a key that is there twice in a text that is JSON.
class KeyWatch : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool /*value*/) override { return true; }
  bool number_integer(int64_t /*value*/) override { return true; }
  bool number_unsigned(uint64_t /*value*/) override { return true; }
  bool number_float(double /*value*/, const std::string& /*text*/) override {
    return true;
  }
  bool string(std::string& /*value*/) override { return true; }
  bool binary(Json::binary_t& /*value*/) override { return true; }
  bool start_array(size_t /*size*/) override { return true; }
  bool end_array() override { return true; }
  bool start_object(size_t /*size*/) override {
    keys_.emplace_back();
    return true;
  }
  bool key(std::string& name) override {
    if (keys_.back().insert(name).second) return true;
    repeated = name;
    has_repeated = true;
    return false;
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool parse_error(size_t /*position*/, const std::string& /*token*/,
                   const Json::exception& /*error*/) override {
    return false;
  }

  bool has_repeated = false;
  std::string repeated;

 private:
  std::vector<std::set<std::string>> keys_;  // of the objects that are open
};

}  // namespace

Json parse_body(std::string_view text, const std::string& place,
                int64_t max_bytes) {
  Json out = core::parse_json(text, place, {max_bytes});
  KeyWatch watch;
  core::walk_json(text, watch);
  if (watch.has_repeated) {
    fail("{}: an object has the key '{}' twice", place, watch.repeated);
  }
  return out;
}

}  // namespace ordered_gnn::lab
