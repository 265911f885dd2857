#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "lab/sweep/search_space.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// How a sweep looks for the best setting.
enum class SearchMethod {
  grid,     ///< every setting
  random,   ///< some, drawn at random
  halving,  ///< many on a small budget, the better ones on larger ones
};
std::string to_string(SearchMethod method);
SearchMethod parse_search_method(const std::string& name);

/// What successive halving starts small with.
enum class Budget { splits, epochs };
std::string to_string(Budget budget);
Budget parse_budget(const std::string& name);

/// What a sweep file says.
struct SweepSpec {
  std::string file;                ///< where it was read
  std::vector<std::string> notes;  ///< see RecipeChain
  RunOptions base;  ///< of every run, where the search says nothing else
  /// What `base` was made of: the recipe and the fixed options, see
  /// run_options_from_layers().
  std::vector<Json> layers;
  SearchSpace space;
  /// Every setting is run with all of these, as with all seeds.
  SearchSpace each;
  SearchMethod method = SearchMethod::grid;
  /// Settings to draw; 0: all of them, as a grid.
  int64_t trials = 0;
  /// Trial 0 is what `base` says of the searched options.
  bool try_base = false;
  /// Options and values that are tried next, in this order, each over the
  /// setting of `base`; what is drawn is then drawn around them, see
  /// SearchSpace::sample_around(). They count among `trials`.
  std::vector<Json> starts;
  int64_t search_seed = 1;
  std::vector<int64_t> seeds;  ///< empty: the seed of `base`
  int64_t eta = 3;             ///< one of `eta` goes on to the next rung
  Budget budget = Budget::splits;
  int64_t min_budget = 1;
};

/// The keys of a sweep file that hold one value: method, trials, try-base,
/// search-seed, eta, budget, min-budget.
const std::vector<Option<SweepSpec>>& sweep_option_table();

/// Reads a JSON object with the keys of the table above and
///   base    what is read first: a recipe for the options of every run, or
///           another sweep file, of which this one says only what differs,
///   fixed   options of every run, over those of the recipe,
///   search  what to choose from, see SearchSpace,
///   each    options and lists of values with which every setting is run,
///   starts  settings that are tried first, in the order of their names: an
///           object with some of the searched options for each,
///   seeds   seeds with which every setting is run.
/// Sweep files are found as recipes are, see recipe.h: built in, and several in
/// a file with "for". Options of `fixed`, `search` and `each` replace those of
/// the base one by one.
/// @param base  a recipe that stands in for the file's; none when empty.
/// @throws Error naming the file and what is wrong in it.
SweepSpec read_sweep(const std::filesystem::path& file,
                     const std::filesystem::path& base = {});

/// Options of every run that win over recipe and fixed ones. A model that they
/// name brings its defaults.
/// @throws UsageError for an option that is searched, and for unfit values.
void override_base(const Json& values, SweepSpec& spec);

/// The settings to try, in order of their trial numbers. The one of the base
/// is not drawn again.
/// @throws UsageError when the method does not go with the space or with
///         `trials`.
std::vector<Setting> settings_of(const SweepSpec& spec);

/// What a setting is run with besides seeds and splits; one empty setting when
/// there is no `each`.
std::vector<Setting> variants_of(const SweepSpec& spec);

/// The seeds each setting is run with.
std::vector<int64_t> seeds_of(const SweepSpec& spec);

/// What two sweeps must share to be the same one; `trials` may differ.
Json sweep_identity(const SweepSpec& spec, const std::string& fingerprint);

}  // namespace ordered_gnn::lab
