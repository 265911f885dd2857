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
endif()
