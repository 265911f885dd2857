# A room is a folder of sources that belong together, named once:
# ordered_gnn_room(target room source...) compiles them into `target` as one.
#
# LibTorch's headers and their templates cost every source several seconds, more
# than its own code, so that together they take a fraction of the time. Names in
# their anonymous namespaces must differ. Folders of few sources share a room, and
# rooms are of like size, so that two cores end together. With ORDERED_GNN_TOGETHER
# OFF every source is compiled by itself, which suits work on few of them; with
# TARGET all sources of a target are one, which suits clang-tidy.
set(ORDERED_GNN_TOGETHER ON CACHE STRING
    "Compiled as one: ON the sources of a room, TARGET of a target, OFF none")

function(ordered_gnn_room target room)
  target_sources(${target} PRIVATE ${ARGN})
  if(NOT ORDERED_GNN_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(ORDERED_GNN_TOGETHER STREQUAL "TARGET")
    set(room all)
  endif()
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set_source_files_properties(${ARGN} TARGET_DIRECTORY ${target}
    PROPERTIES UNITY_GROUP ${room})
endfunction()
