# Writes `output`, a C++ source that holds every file of recipes/, so that the
# installed command has them wherever it is. A recipe that is added, removed or
# changed configures again.
function(ordered_gnn_embed_recipes output)
  set(root ${PROJECT_SOURCE_DIR}/recipes)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS RELATIVE ${root} ${root}/*.json)
  list(SORT files)
  set(entries "")
  foreach(file IN LISTS files)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                 ${root}/${file})
    file(READ ${root}/${file} text)
    string(REGEX REPLACE "\\.json$" "" name ${file})
    string(APPEND entries "      {\"${name}\", R\"recipe(${text})recipe\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"lab/runs/recipes.h\"

namespace ordered_gnn::lab {

const std::vector<BuiltinRecipeFile>& builtin_recipe_files() {
  static const std::vector<BuiltinRecipeFile> files = {
@entries@  };
  return files;
}

}  // namespace ordered_gnn::lab
")
endfunction()
