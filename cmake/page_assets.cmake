# Writes `output`, a C++ source that holds the files that pages are made of:
# ordered_gnn_embed_page(output file...), files in the current source folder. One
# that changes configures again.
function(ordered_gnn_embed_page output)
  set(entries "")
  foreach(file IN LISTS ARGN)
    set(path ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} text)
    get_filename_component(name ${file} NAME)
    string(APPEND entries "      {\"${name}\", R\"asset(${text})asset\"},\n")
  endforeach()
  # Not file(CONFIGURE): it would read what the files hold.
  file(WRITE ${output}.new
"#include \"lab/report/page_assets.h\"

#include <map>
#include <string>

namespace ordered_gnn::lab {

std::string_view page_asset(std::string_view name) {
  static const std::map<std::string, std::string_view> assets = {
${entries}  };
  return assets.at(std::string(name));
}

}  // namespace ordered_gnn::lab
")
  execute_process(COMMAND ${CMAKE_COMMAND} -E copy_if_different
                  ${output}.new ${output})
endfunction()
