# Installs the library as the CMake package `ordered_gnn`.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ordered_gnn)

install(TARGETS ordered_gnn EXPORT ordered_gnn_targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ordered_gnn
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${PROJECT_BINARY_DIR}/include/ordered_gnn/version.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ordered_gnn)
install(EXPORT ordered_gnn_targets NAMESPACE ordered_gnn::
        DESTINATION ${package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/ordered_gnn-config.cmake.in
  ${PROJECT_BINARY_DIR}/ordered_gnn-config.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/ordered_gnn-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ordered_gnn-config.cmake
              ${PROJECT_BINARY_DIR}/ordered_gnn-config-version.cmake
        DESTINATION ${package_dir})
if(TARGET ordered_gnn_cli)
  install(TARGETS ordered_gnn_cli
          RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/recipes
          DESTINATION ${CMAKE_INSTALL_DATADIR}/ordered_gnn)
  # Written by the command itself, so that they say what it says.
  if(NOT CMAKE_CROSSCOMPILING)
    foreach(page IN ITEMS
        "help --man|${CMAKE_INSTALL_MANDIR}/man1|ognn.1"
        "completion bash|${CMAKE_INSTALL_DATADIR}/bash-completion/completions|ognn"
        "completion zsh|${CMAKE_INSTALL_DATADIR}/zsh/site-functions|_ognn"
        "completion fish|${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d|ognn.fish")
      string(REPLACE "|" ";" page "${page}")
      list(GET page 0 words)
      list(GET page 1 folder)
      list(GET page 2 name)
      set(written ${PROJECT_BINARY_DIR}/written/${name})
      install(CODE "
        file(MAKE_DIRECTORY \"${PROJECT_BINARY_DIR}/written\")
        execute_process(COMMAND \"$<TARGET_FILE:ordered_gnn_cli>\" ${words}
                        OUTPUT_FILE \"${written}\" COMMAND_ERROR_IS_FATAL ANY)")
      install(FILES ${written} DESTINATION ${folder})
    endforeach()
  endif()
endif()
