# LibTorch's headers and their templates cost every source several seconds, more
# than its own code. Sources named here are compiled as one:
# ordered_gnn_compile_together(target group source...)
# Names in their anonymous namespaces must differ. Off, every source is compiled
# by itself, which suits work on few of them.
option(ORDERED_GNN_TOGETHER "Compile related sources as one" ON)

function(ordered_gnn_compile_together target group)
  # Not every preset has every target.
  if(NOT ORDERED_GNN_TOGETHER OR NOT TARGET ${target})
    return()
  endif()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(paths "")
  foreach(source IN LISTS ARGN)
    list(APPEND paths ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  endforeach()
  set_source_files_properties(${paths} TARGET_DIRECTORY ${target}
    PROPERTIES UNITY_GROUP ${group})
endfunction()
