#include "support/json_schema.h"

#include <set>

namespace ordered_gnn {
namespace {

class SchemaCheck {
 public:
  explicit SchemaCheck(const Json& document) : document_(document) {}

  std::vector<std::string> errors;

  void check(const Json& schema, const Json& value, const std::string& at) {
    require_known_words(schema, at);
    if (schema.contains("$ref")) {
      const auto path = schema["$ref"].get<std::string>().substr(1);
      check(document_.at(Json::json_pointer(path)), value, at);
    }
    if (schema.contains("type") && !has_type(schema["type"], value)) {
      fail(at, "is " + value.dump() + ", not " + schema["type"].dump());
      return;
    }
    if (schema.contains("oneOf")) check_one_of(schema["oneOf"], value, at);
    if (value.is_object()) check_object(schema, value, at);
    if (value.is_array()) check_array(schema, value, at);
    if (value.is_number()) check_number(schema, value, at);
    if (value.is_string() && schema.contains("minLength") &&
        value.get<std::string>().size() < schema["minLength"].get<size_t>()) {
      fail(at, "is too short");
    }
  }

 private:
  void fail(const std::string& at, const std::string& what) {
    errors.push_back(at + " " + what);
  }

  // A word that is not checked here would pass for checked.
  void require_known_words(const Json& schema, const std::string& at) {
    static const std::set<std::string> known = {"$ref",
                                                "type",
                                                "oneOf",
                                                "properties",
                                                "additionalProperties",
                                                "required",
                                                "items",
                                                "minItems",
                                                "maxItems",
                                                "minLength",
                                                "minimum",
                                                "maximum",
                                                "description"};
    for (const auto& [word, content] : schema.items()) {
      if (known.count(word) == 0) fail(at, "has a schema with '" + word + "'");
    }
  }

  static bool is_of(const std::string& type, const Json& value) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "integer") return value.is_number_integer();
    return type == "number" && value.is_number();
  }

  static bool has_type(const Json& types, const Json& value) {
    if (types.is_string()) return is_of(types.get<std::string>(), value);
    for (const Json& type : types) {
      if (is_of(type.get<std::string>(), value)) return true;
    }
    return false;
  }

  void check_one_of(const Json& schemas, const Json& value,
                    const std::string& at) {
    int fitting = 0;
    for (const Json& schema : schemas) {
      SchemaCheck one(document_);
      one.check(schema, value, at);
      fitting += one.errors.empty();
    }
    if (fitting != 1) {
      fail(at, "fits " + std::to_string(fitting) + " of oneOf");
    }
  }

  void check_object(const Json& schema, const Json& value,
                    const std::string& at) {
    for (const Json& key : schema.value("required", Json::array())) {
      if (!value.contains(key.get<std::string>())) {
        fail(at, "lacks " + key.dump());
      }
    }
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [key, content] : value.items()) {
      const std::string place = at + "." + key;
      if (properties.contains(key)) {
        check(properties[key], content, place);
        continue;
      }
      if (!schema.contains("additionalProperties")) continue;
      const Json& more = schema["additionalProperties"];
      if (more.is_object()) {
        check(more, content, place);
      } else if (!more.get<bool>()) {
        fail(place, "is not described");
      }
    }
  }

  void check_array(const Json& schema, const Json& value,
                   const std::string& at) {
    if (value.size() < schema.value("minItems", size_t{0}) ||
        value.size() > schema.value("maxItems", value.size())) {
      fail(at, "has " + std::to_string(value.size()) + " items");
    }
    if (!schema.contains("items")) return;
    for (size_t i = 0; i < value.size(); ++i) {
      check(schema["items"], value[i], at + "[" + std::to_string(i) + "]");
    }
  }

  void check_number(const Json& schema, const Json& value,
                    const std::string& at) {
    const auto number = value.get<double>();
    if (number < schema.value("minimum", number) ||
        number > schema.value("maximum", number)) {
      fail(at, "is out of range: " + value.dump());
    }
  }

  const Json& document_;
};

}  // namespace

std::vector<std::string> schema_errors(const Json& document, const Json& schema,
                                       const Json& value) {
  SchemaCheck run(document);
  run.check(schema, value, "$");
  return run.errors;
}

}  // namespace ordered_gnn
