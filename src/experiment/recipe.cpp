#include "ordered_gnn/experiment/recipe.h"

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/io/file.h"

namespace ordered_gnn {

Json read_json_object(const std::filesystem::path& file,
                      const std::string& otherwise) {
  constexpr int64_t kMaxBytes = 1 << 20;
  Json values;
  try {
    values = Json::parse(read_file(file, kMaxBytes), /*cb=*/nullptr,
                         /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const Json::parse_error& error) {
    fail_in(file, fmt::format("is no JSON: {}", error.what()));
  }
  if (!values.is_object()) fail_in(file, otherwise);
  return values;
}

void apply_recipe(const std::filesystem::path& file, RunOptions& options) {
  const Json values = read_json_object(
      file, "must hold one JSON object of option names and values");
  try {
    apply_json(run_option_table(), values, options);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", file.string(), error.what()));
  }
}

}  // namespace ordered_gnn
