# ordered_gnn_httplib_object(target object source...) compiles sources that include
# cpp-httplib into `target`, as an object library of its own: nothing else sees that
# header. ORDERED_GNN_HTTPLIB is defined where the package was found.
function(ordered_gnn_httplib_object target object)
  add_library(${object} OBJECT ${ARGN})
  target_include_directories(${object} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${object} PRIVATE ${ORDERED_GNN_FMT})
  set_target_properties(${object} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  ordered_gnn_set_warnings(${object})
  ordered_gnn_set_sanitizers(${object})
  ordered_gnn_harden(${object})
  if(ORDERED_GNN_HTTPLIB)
    target_compile_definitions(${object} PRIVATE ORDERED_GNN_HTTPLIB)
    target_link_libraries(${object} PRIVATE ${ORDERED_GNN_HTTPLIB})
    # Linked alone: its flags would not fit the precompiled header.
    target_link_libraries(${target} PRIVATE $<LINK_ONLY:${ORDERED_GNN_HTTPLIB}>)
  endif()
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
endfunction()
