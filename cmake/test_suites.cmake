# Gives ctest the suites of a GoogleTest binary, listed after every build of it: some
# short ones together, for starting LibTorch takes half a second, which a process per
# case would spend nearly all of its time on. With SPLIT long suites are spread.
function(ordered_gnn_discover_suites target label)
  cmake_parse_arguments(PARSE_ARGV 2 arg "SPLIT" "" "")
  set(list ${CMAKE_CURRENT_BINARY_DIR}/${target}_suites.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${CMAKE_COMMAND} -DBINARY=$<TARGET_FILE:${target}>
            -DLABEL=${label} -DSPLIT=${arg_SPLIT} -DOUT=${list}
            -P ${PROJECT_SOURCE_DIR}/cmake/list_suites.cmake
    BYPRODUCTS ${list} VERBATIM)
  # ctest may be asked before the binary was ever built.
  set(include ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  file(WRITE ${include} "if(EXISTS \"${list}\")
  include(\"${list}\")
else()
  add_test(${target}_NOT_BUILT ${target}_NOT_BUILT)
endif()
")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include})
endfunction()
