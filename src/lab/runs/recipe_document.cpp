#include "lab/runs/recipe_document.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "core/io/file.h"
#include "core/io/folder.h"
#include "core/io/json_reader.h"
#include "core/names.h"
#include "lab/runs/recipes.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRecipeSuffix = ".json";
constexpr const char* kNotAnObject =
    "must hold one JSON object of option names and values";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !fs::is_directory(path, ignored);
}

// "./recipes/table2/texas.json" -> "table2/texas".
std::string recipe_name(const fs::path& spelling) {
  fs::path name = spelling.lexically_normal();
  if (name.extension() == kRecipeSuffix) name.replace_extension();
  const std::string folder = "recipes/";
  const std::string text = name.string();
  return text.rfind(folder, 0) == 0 ? text.substr(folder.size()) : text;
}

bool is_remark(const std::string& key) { return key.rfind("//", 0) == 0; }

std::string with_dashes(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}

// Without comments, and with one spelling for every key.
Json spelled(const Json& object) {
  Json out = Json::object();
  for (const auto& [key, value] : object.items()) {
    if (is_remark(key)) continue;
    out[with_dashes(key)] = value.is_object() ? spelled(value) : value;
  }
  return out;
}

Json parse_object(const std::string& text, const fs::path& where) {
  Json values = core::parse_json(text, where.string(),
                                 {kMaxRecipeBytes, /*comments=*/true});
  if (!values.is_object()) fail_in(where, kNotAnObject);
  return values;
}

Json read_recipe_object(const fs::path& file) {
  return parse_object(core::read_file(file, kMaxRecipeBytes), file);
}

// The recipes of a file by name; none when it is one itself.
Json members_of(const Json& object, const fs::path& file) {
  if (!object.contains("for")) return Json::object();
  const Json& all = object["for"];
  Json members = Json::object();
  for (const auto& [name, member] : all.items()) {
    if (all.is_object() && !is_remark(name)) members[name] = member;
  }
  if (members.empty()) {
    throw UsageError(fmt::format(
        "{}: \"for\" must be an object of recipes by name", file.string()));
  }
  for (const auto& [name, member] : members.items()) {
    if (!member.is_object() || member.contains("for")) {
      throw UsageError(fmt::format(
          "{}: what \"for\" has for '{}' {}", file.string(), name,
          member.is_object() ? "has a \"for\" itself; one is the most"
                             : "is no object of option names and values"));
    }
  }
  return members;
}

std::vector<std::string> keys_of(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

// The one remark that is read: whether settings were searched.
std::string sweep_remark(const Json& object) {
  const auto found = object.find("//sweep");
  return found != object.end() && found->is_string() ? found->get<std::string>()
                                                     : "";
}

void set_values(Json values, RecipeDocument& document) {
  document.values = std::move(values);
  const auto base = document.values.find("base");
  if (base == document.values.end()) return;
  if (!base->is_null()) {
    if (!base->is_string() || base->get<std::string>().empty()) {
      throw UsageError(
          fmt::format("{}: \"base\" must be the name or path of a recipe",
                      to_string(document)));
    }
    document.base = base->get<std::string>();
  }
  document.values.erase(base);
}

RecipeDocument whole_file(const Json& object, RecipeDocument document) {
  const std::vector<std::string> members =
      keys_of(members_of(object, document.file));
  if (!members.empty()) {
    fs::path one = document.file;
    one.replace_extension();
    throw UsageError(
        fmt::format("{} holds recipes for {}; name one of them, such as {}",
                    document.file.string(), fmt::join(members, ", "),
                    (one / members.front()).string() +
                        (document.built_in ? "" : kRecipeSuffix)));
  }
  document.sweep = sweep_remark(object);
  set_values(spelled(object), document);
  return document;
}

std::optional<RecipeDocument> member_of(Json object, RecipeDocument document) {
  const Json members = members_of(object, document.file);
  const auto member = members.find(document.member);
  if (member == members.end()) return std::nullopt;
  object.erase("for");
  document.sweep = sweep_remark(*member);
  Json values = spelled(object);
  put_over(spelled(*member), values);
  set_values(std::move(values), document);
  return document;
}

std::optional<RecipeDocument> on_disk(const fs::path& path) {
  RecipeDocument document;
  document.file = path;
  if (is_file(path)) return whole_file(read_recipe_object(path), document);
  const fs::path family = family_of(path);
  if (family.empty()) return std::nullopt;
  return member_document(read_recipe_object(family), family,
                         path.stem().string());
}

const BuiltinRecipeFile* builtin_file(const std::string& name) {
  for (const BuiltinRecipeFile& file : builtin_recipe_files()) {
    if (file.name == name) return &file;
  }
  return nullptr;
}

std::optional<RecipeDocument> in_program(const fs::path& path) {
  const fs::path name = recipe_name(path);
  const BuiltinRecipeFile* const whole = builtin_file(name.string());
  const BuiltinRecipeFile* const file =
      whole != nullptr ? whole : builtin_file(name.parent_path().string());
  if (file == nullptr) return std::nullopt;
  RecipeDocument document;
  document.built_in = true;
  document.file = file->name + kRecipeSuffix;
  const Json object = parse_object(file->text, document.file);
  if (file == whole) return whole_file(object, document);
  document.member = name.filename().string();
  return member_of(object, document);
}

fs::path path_from(const RecipeDocument* from, const fs::path& name) {
  const fs::path folder = from == nullptr ? "" : from->file.parent_path();
  return (folder / name).lexically_normal();
}

// Adds what a file is called, or what its recipes are.
void add_names(const std::string& name, const Json& object,
               std::set<std::string>& names) {
  const Json members = members_of(object, name + kRecipeSuffix);
  if (members.empty()) names.insert(name);
  for (const std::string& member : keys_of(members)) {
    names.insert(name + "/" + member);
  }
}

std::set<std::string> names_on_disk(const fs::path& root,
                                    const std::string& folder) {
  std::set<std::string> names;
  const fs::path family = root / (folder + kRecipeSuffix);
  if (is_file(family)) add_names(folder, read_recipe_object(family), names);
  for (const fs::path& path : core::entries_if_any(root / folder)) {
    if (path.extension() != kRecipeSuffix || !is_file(path)) continue;
    names.insert(folder + "/" + path.stem().string());
  }
  return names;
}

}  // namespace

std::string to_string(const RecipeDocument& document) {
  if (!document.built_in) {
    return document.file.string() +
           (document.member.empty() ? "" : " for " + document.member);
  }
  fs::path name = document.file;
  name.replace_extension();
  if (!document.member.empty()) name /= document.member;
  return "built-in " + name.string();
}

std::optional<RecipeDocument> find_document(const fs::path& name,
                                            const RecipeDocument* from) {
  const fs::path path = path_from(from, name);
  const bool within = from != nullptr && from->built_in;
  std::optional<RecipeDocument> found =
      within ? in_program(path) : on_disk(path);
  return found ? found : in_program(name);
}

std::string missing_document(const fs::path& name, const RecipeDocument* from) {
  std::error_code ignored;
  if (fs::is_directory(path_from(from, name), ignored)) {
    return "is a folder, not a recipe";
  }
  const std::string nearest =
      core::nearest_name(recipe_name(name), builtin_recipe_names());
  if (nearest.empty()) {
    return "there is no such file, and no recipe of that name is built in; "
           "those are called like table2/texas";
  }
  return fmt::format(
      "there is no such file; did you mean the built-in recipe '{}'?", nearest);
}

std::optional<RecipeDocument> member_document(const Json& object,
                                              const fs::path& file,
                                              const std::string& member) {
  RecipeDocument document;
  document.file = file;
  document.member = member;
  return member_of(object, document);
}

void put_over(const Json& upper, Json& lower) {
  for (const auto& [key, value] : upper.items()) {
    const auto below = lower.find(key);
    if (below != lower.end() && below->is_object() && value.is_object()) {
      below->update(value);
    } else {
      lower[key] = value;
    }
  }
}

fs::path family_of(const fs::path& path) {
  const fs::path folder = path.parent_path();
  if (is_file(path) || path.extension() != kRecipeSuffix ||
      !folder.has_filename()) {
    return {};
  }
  fs::path family = folder;
  family += kRecipeSuffix;
  return is_file(family) ? family : fs::path();
}

const std::vector<std::string>& builtin_recipe_names() {
  static const std::vector<std::string> names = [] {
    std::set<std::string> sorted;
    for (const BuiltinRecipeFile& file : builtin_recipe_files()) {
      add_names(file.name, parse_object(file.text, file.name), sorted);
    }
    return std::vector<std::string>(sorted.begin(), sorted.end());
  }();
  return names;
}

std::string find_recipe(const std::string& spelling) {
  const std::string name = recipe_name(spelling);
  const std::vector<std::string>& names = builtin_recipe_names();
  return std::binary_search(names.begin(), names.end(), name) ? name : "";
}

std::vector<std::string> recipe_names_in(const fs::path& root,
                                         const std::string& folder) {
  std::set<std::string> names;
  if (!root.empty()) {
    names = names_on_disk(root, folder);
  } else {
    for (const std::string& name : builtin_recipe_names()) {
      if (name.rfind(folder + "/", 0) == 0) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace ordered_gnn::lab
