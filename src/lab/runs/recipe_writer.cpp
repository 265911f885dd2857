#include "lab/runs/recipe_writer.h"

#include <fcntl.h>

#include "core/io/file.h"
#include "core/io/file_lock.h"
#include "core/io/json_reader.h"
#include "lab/runs/recipe.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

using core::OrderedJson;

constexpr size_t kColumns = 100;

bool is_comment(const std::string& key) { return key.rfind("//", 0) == 0; }

// {"a": 1, "b": [2, 3]}, with a space after each comma.
std::string in_one_line(const OrderedJson& value) {
  if (!value.is_structured()) return value.dump();
  std::string out;
  for (const auto& [key, item] : value.items()) {
    if (!out.empty()) out += ", ";
    if (value.is_object()) out += OrderedJson(key).dump() + ": ";
    out += in_one_line(item);
  }
  return value.is_object() ? "{" + out + "}" : "[" + out + "]";
}

// Keys of an object; `packed` ones share lines.
std::string in_lines(const OrderedJson& object, size_t indent, bool packed) {
  const std::string start = "\n" + std::string(indent + 2, ' ');
  std::string out, line;
  bool alone = true;  // the line takes nothing more
  for (const auto& [key, value] : object.items()) {
    const std::string name = OrderedJson(key).dump() + ": ";
    std::string text = name + in_one_line(value);
    const bool fits = indent + 3 + text.size() <= kColumns;
    if (!fits && value.is_object()) {
      text = name + in_lines(value, indent + 2, /*packed=*/key != "for");
    }
    const bool joins = packed && fits && !alone && !is_comment(key) &&
                       indent + 5 + line.size() + text.size() <= kColumns;
    if (joins) {
      line += ", " + text;
      continue;
    }
    if (!line.empty()) out += start + line + ",";
    line = text;
    alone = !fits || is_comment(key);
  }
  return "{" + out + start + line + "\n" + std::string(indent, ' ') + "}";
}

OrderedJson read_ordered(const std::filesystem::path& file) {
  // Without comments, which would be lost.
  return core::parse_ordered_json(core::read_file(file, kMaxRecipeBytes),
                                  file.string(), {kMaxRecipeBytes});
}

// What a recipe has from its file and its base when it says nothing itself.
Json inherited(const RecipeDocument& bare) {
  const RecipeChain chain = chain_of(bare);
  if (!chain.missing.empty()) throw Error(chain.missing);
  return combined_recipe(chain.documents);
}

// The recipe as one that says only what differs from `below`.
OrderedJson difference(const Json& recipe, const Json& below) {
  const RunOptions wanted = run_options_from_json(recipe);
  const Json all = to_json(wanted);
  const Json without =
      to_json(run_options_from_layers({below, {{"model", wanted.model}}}));
  OrderedJson out = OrderedJson::object();
  for (const auto& [key, value] : recipe.items()) {
    if (is_comment(key)) out[key] = value;
  }
  for (const auto& [key, value] : all.items()) {
    const bool named = recipe.contains(key) || below.contains(key);
    const bool differs = key == "model" ? below.value(key, Json()) != value
                                        : without.at(key) != value;
    if (named && differs) out[key] = value;
  }
  return out;
}

}  // namespace

std::filesystem::path recipe_target(const std::filesystem::path& path) {
  const std::filesystem::path family = family_of(path);
  return family.empty() ? path : family;
}

std::string recipe_text(const OrderedJson& object) {
  return in_lines(object, 0, /*packed=*/false) + "\n";
}

void write_recipe(const std::filesystem::path& path, const Json& recipe) {
  const std::filesystem::path family = family_of(path);
  if (family.empty()) {
    core::write_file(path, recipe.dump(2) + "\n");
    return;
  }
  // What is read there is still there when it is written.
  const std::filesystem::path folder = family.parent_path();
  core::LockedFile held;
  held.open_in_turn(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY);
  const std::string name = path.stem().string();
  OrderedJson file = read_ordered(family);
  const OrderedJson before =
      file.value("for", OrderedJson::object()).value(name, OrderedJson());
  OrderedJson member = OrderedJson::object();
  for (const char* kept : {"base", "splits"}) {
    if (before.contains(kept)) member[kept] = before[kept];
  }
  file["for"][name] = member;
  const Json below = inherited(*member_document(Json(file), family, name));
  Json values = recipe;
  values.erase("splits");
  if (below.contains("splits")) values["splits"] = below["splits"];
  member.update(difference(values, below));
  file["for"][name] = member;
  core::write_file(family, recipe_text(file));
}

}  // namespace ordered_gnn::lab
