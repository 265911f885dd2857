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
find_package(OpenMP REQUIRED COMPONENTS CXX)
set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} ${TORCH_CXX_FLAGS}")
