# One C++ library in a process. A compiler that finds no libstdc++.so links the archive
# into everything, as -static-libstdc++ does, and PyTorch's wheels export parts of a C++
# library of their own: exceptions and locales of the one then meet tables of the other,
# and what should be an error ends the process. So the shared library is named by its
# file and ahead of all others. What comes behind it on a command line, and in the
# loader's order, has nothing left to define. tests/elf/check --one-cxx-library looks.
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR
   CMAKE_CXX_FLAGS MATCHES "-stdlib=libc\\+\\+")
  return()
endif()
execute_process(
  COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.so.6
  OUTPUT_VARIABLE file OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
get_filename_component(folder "${file}" DIRECTORY)
find_library(ORDERED_GNN_CXX_LIBRARY NAMES libstdc++.so.6 HINTS ${folder})
mark_as_advanced(ORDERED_GNN_CXX_LIBRARY)
if(ORDERED_GNN_CXX_LIBRARY)
  link_libraries(${ORDERED_GNN_CXX_LIBRARY})
else()
  message(STATUS "libstdc++.so.6 was not found: the compiler chooses a C++ library")
endif()
