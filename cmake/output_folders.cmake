# Where programs and libraries lie and where programs look for libraries: the same
# in the build tree as where it is installed. A search path that differs is edited
# at installation, and CMake makes room for that by an empty element at its end,
# which the loader takes for the current folder.
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${CMAKE_INSTALL_LIBDIR})
set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
# Where a LibTorch lies that is not the system's.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)
