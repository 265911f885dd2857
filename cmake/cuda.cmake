# With ORDERED_GNN_CUDA the kernels are compiled by nvcc. Where LibTorch has CUDA
# they are part of the library; where it has not, they are compiled and no more,
# so that a machine without a GPU still proves that they compile.
set(ORDERED_GNN_HAS_CUDA FALSE)
set(ORDERED_GNN_HAS_NCCL OFF)
if(NOT ORDERED_GNN_CUDA)
  return()
endif()
include(CheckLanguage)
check_language(CUDA)
if(NOT CMAKE_CUDA_COMPILER)
  message(FATAL_ERROR "ORDERED_GNN_CUDA needs nvcc, which was not found; put it "
                      "on the PATH or set CMAKE_CUDA_COMPILER.")
endif()
# LibTorch's CMake files overwrite CMAKE_CUDA_ARCHITECTURES; the cache still has
# what the preset or the user asked for.
set(ORDERED_GNN_CUDA_ARCHITECTURES "$CACHE{CMAKE_CUDA_ARCHITECTURES}")
if(NOT ORDERED_GNN_CUDA_ARCHITECTURES)
  set(ORDERED_GNN_CUDA_ARCHITECTURES 90)
endif()
if(NOT CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES ${ORDERED_GNN_CUDA_ARCHITECTURES})
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
if(TARGET torch_cuda)
  set(ORDERED_GNN_HAS_CUDA TRUE)
else()
  message(WARNING "This LibTorch has no CUDA: the kernels are only compiled "
                  "(target ordered_gnn_cuda_kernels); the program computes on "
                  "the CPU and refuses --device cuda.")
endif()
# Ranks with a GPU each talk by NCCL, whose library LibTorch brings along; its
# header is looked for beside those of CUDA, and among Python's packages.
option(ORDERED_GNN_NCCL "Let processes with a GPU each share a graph, where nccl.h is found" ON)
if(ORDERED_GNN_HAS_CUDA AND ORDERED_GNN_NCCL)
  find_path(NCCL_INCLUDE_DIR nccl.h
            HINTS ${CUDAToolkit_INCLUDE_DIRS}
                  ${TORCH_INSTALL_PREFIX}/../nvidia/nccl/include)
  if(NCCL_INCLUDE_DIR)
    set(ORDERED_GNN_HAS_NCCL ON)
  else()
    message(STATUS "nccl.h was not found: 'ognn train --ranks' has no --engine nccl")
  endif()
endif()
