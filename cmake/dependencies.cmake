# Everything the library needs. CLI11, GoogleTest and Google Benchmark are
# looked up where they are used.
find_package(Torch QUIET)
if(NOT Torch_FOUND)
  message(FATAL_ERROR
    "LibTorch was not found. On Debian run 'make install-deps'; for a PyTorch "
    "wheel pass -DCMAKE_PREFIX_PATH=$(python3 -c 'import torch; "
    "print(torch.utils.cmake_prefix_path)').")
endif()
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
# PyTorch wheels carry fmt headers of their own, found before the installed ones
# and of another version than the installed library: use them without it.
set(ORDERED_GNN_FMT fmt::fmt)
if(EXISTS "${TORCH_INSTALL_PREFIX}/include/fmt/format-inl.h" AND
   NOT TORCH_INSTALL_PREFIX STREQUAL "/usr")
  set(ORDERED_GNN_FMT fmt::fmt-header-only)
endif()
find_package(ZLIB REQUIRED)
find_package(OpenSSL 3.0 REQUIRED COMPONENTS Crypto)
find_package(OpenMP REQUIRED COMPONENTS CXX)
# `ognn data fetch` downloads with cpp-httplib and lists the files without it.
# Upstream installs a CMake package, Debian a pkg-config file.
if(ORDERED_GNN_DOWNLOADS)
  find_package(httplib CONFIG QUIET)
  find_package(PkgConfig QUIET)
  if(TARGET httplib::httplib)
    set(ORDERED_GNN_HTTPLIB httplib::httplib)
  elseif(PkgConfig_FOUND AND
         NOT "${TORCH_CXX_FLAGS}" MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
    # Debian's is a compiled library of the new ABI.
    pkg_check_modules(httplib QUIET IMPORTED_TARGET cpp-httplib)
    if(TARGET PkgConfig::httplib)
      set(ORDERED_GNN_HTTPLIB PkgConfig::httplib)
    endif()
  endif()
  if(NOT ORDERED_GNN_HTTPLIB)
    message(STATUS "cpp-httplib was not found: this build cannot download")
  endif()
endif()
# `ognn partition` cuts graphs with METIS, or greedily without it. Neither upstream
# nor Debian has a CMake package of it.
option(ORDERED_GNN_METIS "Cut graphs with METIS, where it is found" ON)
if(ORDERED_GNN_METIS)
  find_path(METIS_INCLUDE_DIR metis.h)
  find_library(METIS_LIBRARY metis)
  if(METIS_INCLUDE_DIR AND METIS_LIBRARY)
    add_library(ordered_gnn_metis INTERFACE)
    target_include_directories(ordered_gnn_metis SYSTEM INTERFACE ${METIS_INCLUDE_DIR})
    target_link_libraries(ordered_gnn_metis INTERFACE ${METIS_LIBRARY})
  else()
    message(STATUS "METIS was not found: 'ognn partition' has no --method metis")
  endif()
endif()
# Ranks meet by a store of LibTorch's own c10d, and talk by its Gloo, whose header
# includes those of libgloo-dev; PyTorch's wheels come without.
set(ORDERED_GNN_HAS_STORE OFF)
find_path(C10D_STORE_INCLUDE_DIR torch/csrc/distributed/c10d/TCPStore.hpp
          HINTS ${TORCH_INCLUDE_DIRS})
if(C10D_STORE_INCLUDE_DIR)
  set(ORDERED_GNN_HAS_STORE ON)
endif()
option(ORDERED_GNN_GLOO "Let processes share a graph, where Gloo is found" ON)
set(ORDERED_GNN_HAS_GLOO OFF)
if(ORDERED_GNN_GLOO)
  find_path(GLOO_INCLUDE_DIR gloo/rendezvous/store.h HINTS ${TORCH_INCLUDE_DIRS})
  find_path(C10D_GLOO_INCLUDE_DIR torch/csrc/distributed/c10d/ProcessGroupGloo.hpp
            HINTS ${TORCH_INCLUDE_DIRS})
  if(GLOO_INCLUDE_DIR AND C10D_GLOO_INCLUDE_DIR AND Torch_VERSION VERSION_LESS 2)
    set(ORDERED_GNN_HAS_GLOO ON)
  else()
    message(STATUS "Gloo was not found: 'ognn train --ranks' has no --engine gloo")
  endif()
endif()
set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} ${TORCH_CXX_FLAGS}")
