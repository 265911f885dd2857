#include "lab/runs/recipe.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "core/names.h"
#include "lab/runs/recipes.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

bool is_same(const RecipeDocument& a, const RecipeDocument& b) {
  return a.built_in == b.built_in && a.file == b.file && a.member == b.member;
}

// Stands for the folder of the built-in recipes.
RecipeDocument program() {
  RecipeDocument root;
  root.built_in = true;
  return root;
}

// "mine.json -> built-in table2/texas -> ...".
std::string chain_text(const std::vector<RecipeDocument>& documents) {
  std::vector<std::string> names;
  for (const RecipeDocument& document : documents) {
    names.push_back(to_string(document));
  }
  return fmt::format("{}", fmt::join(names, " -> "));
}

// Tells of a file that was taken where the name is one of another recipe, too.
void note_choice(const std::string& name, const RecipeDocument& taken,
                 std::vector<std::string>& notes) {
  if (taken.built_in || find_recipe(name).empty()) return;
  const RecipeDocument root = program();
  const RecipeDocument other = *find_document(name, &root);
  if (other.values == taken.values && other.base == taken.base) return;
  notes.push_back(fmt::format("'{}' is {} here; {} says something else", name,
                              to_string(taken), to_string(other)));
}

void add_bases(RecipeChain& chain) {
  std::vector<RecipeDocument>& documents = chain.documents;
  while (!documents.back().base.empty()) {
    const RecipeDocument& last = documents.back();
    const std::string where =
        documents.size() == 1
            ? to_string(last)
            : fmt::format("{} ({})", to_string(last), chain_text(documents));
    const std::optional<RecipeDocument> base = find_document(last.base, &last);
    if (!base) {
      chain.missing = fmt::format("{}: base '{}': {}", where, last.base,
                                  missing_document(last.base, &last));
      return;
    }
    note_choice(last.base, *base, chain.notes);
    const bool circle = std::any_of(
        documents.begin(), documents.end(),
        [&](const RecipeDocument& earlier) { return is_same(earlier, *base); });
    documents.push_back(*base);
    if (circle) {
      throw UsageError(fmt::format("{}: its bases go in a circle: {}",
                                   to_string(documents.front()),
                                   chain_text(documents)));
    }
    if (documents.size() > kMostBases + 1) {
      throw UsageError(fmt::format("{}: more than {} bases: {}",
                                   to_string(documents.front()), kMostBases,
                                   chain_text(documents)));
    }
  }
}

void drop_nulls(Json& object) {
  for (auto it = object.begin(); it != object.end();) {
    if (it->is_object()) drop_nulls(*it);
    it = it->is_null() ? object.erase(it) : std::next(it);
  }
}

// Values that do not fit are told with the document that has them.
void check_recipe(const RecipeDocument& document) {
  try {
    Json set = document.values;
    drop_nulls(set);
    run_options_from_json(set);
    for (const auto& [key, value] : document.values.items()) {
      if (value.is_null()) {
        core::parse_name("key", key, option_names(run_option_table()));
      }
    }
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", to_string(document), error.what()));
  }
}

}  // namespace

Json recipe_of(const RecipeChain& chain) {
  if (!chain.missing.empty()) throw Error(chain.missing);
  return combined_recipe(chain.documents);
}

RecipeChain chain_of(RecipeDocument document) {
  RecipeChain chain;
  chain.documents.push_back(std::move(document));
  add_bases(chain);
  return chain;
}

RecipeChain read_chain(const std::filesystem::path& name,
                       const RecipeDocument* from) {
  std::optional<RecipeDocument> first = find_document(name, from);
  if (!first) fail_in(name, missing_document(name, from));
  RecipeChain chain;
  note_choice(name.string(), *first, chain.notes);
  chain.documents.push_back(std::move(*first));
  add_bases(chain);
  return chain;
}

Json combined(const std::vector<RecipeDocument>& documents) {
  Json values = Json::object();
  for (auto it = documents.rbegin(); it != documents.rend(); ++it) {
    put_over(it->values, values);
  }
  drop_nulls(values);
  return values;
}

Json combined_recipe(const std::vector<RecipeDocument>& documents) {
  for (const RecipeDocument& document : documents) check_recipe(document);
  return combined(documents);
}

Json read_recipe(const std::filesystem::path& name,
                 std::vector<std::string>* notes) {
  const RecipeChain chain = read_chain(name);
  if (notes != nullptr) *notes = chain.notes;
  return recipe_of(chain);
}

RecipeChain read_builtin_chain(const std::string& name) {
  const RecipeDocument root = program();
  return read_chain(name, &root);
}

void apply_recipe(const std::filesystem::path& name, RunOptions& options) {
  apply_values(read_recipe(name), options);
}

}  // namespace ordered_gnn::lab
