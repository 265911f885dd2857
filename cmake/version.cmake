# version.h carries the release and, inside a git checkout, the commit, so that
# every result file can name the code that made it. Where the history did not come
# with the sources, $ORDERED_GNN_COMMIT says it.
set(ORDERED_GNN_COMMIT "unknown")
find_package(Git QUIET)
if(NOT "$ENV{ORDERED_GNN_COMMIT}" STREQUAL "")
  set(ORDERED_GNN_COMMIT "$ENV{ORDERED_GNN_COMMIT}")
elseif(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
    RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0)
    set(ORDERED_GNN_COMMIT ${commit})
  endif()
endif()
configure_file(${PROJECT_SOURCE_DIR}/cmake/version.h.in
               ${PROJECT_BINARY_DIR}/include/ordered_gnn/version.h @ONLY)
