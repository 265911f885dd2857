set(simd_levels baseline)
set(simd_flags_baseline "")
set(simd_flags_avx2 -mavx2 -mfma -mf16c)
set(simd_flags_avx512 -mavx2 -mfma -mf16c -mavx512f -mavx512dq -mavx512bw
                      -mavx512vl -mprefer-vector-width=512)
set(simd_flags_avx512_bf16 ${simd_flags_avx512} -mavx512bf16)
set(simd_flags_amx ${simd_flags_avx512} -mamx-tile -mamx-bf16)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  list(APPEND simd_levels avx2 avx512)
endif()

# One kernel source for one instruction set.
function(ordered_gnn_add_simd_source target level source)
  # Some versions and tunings of GCC leave the multiplication and addition of a
  # short chain apart: the one row left over by a tile would be rounded in
  # another way than the rest.
  set(fuse_all "")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(fuse_all --param=avoid-fma-max-bits=0)
  endif()
  get_filename_component(stem ${source} NAME_WE)
  set(object ${target}_${stem}_${level})
  add_library(${object} OBJECT ${source})
  set_target_properties(${object} PROPERTIES
    POSITION_INDEPENDENT_CODE ON)
  target_include_directories(${object} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${object} PRIVATE
    ORDERED_GNN_SIMD_NAMESPACE=simd_${level})
  # Kernels are pure loops: they stay optimised in Debug builds, where
  # tests would otherwise crawl.
  target_compile_options(${object} PRIVATE
    -O3 -fno-math-errno -fno-trapping-math -Wno-psabi ${fuse_all}
    ${simd_flags_${level}})
  ordered_gnn_set_warnings(${object})
  ordered_gnn_set_sanitizers(${object})
  ordered_gnn_harden_kernel(${object})
  target_sources(ordered_gnn PRIVATE $<TARGET_OBJECTS:${object}>)
endfunction()

# Lets a target that calls kernels choose among their copies; without it the
# slowest is called.
function(ordered_gnn_use_simd_kernels target)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
    target_compile_definitions(${target} PRIVATE ORDERED_GNN_SIMD_X86=1)
  endif()
endfunction()

# Compiles kernel sources once per instruction set; ops/cpu/simd.h chooses
# between the copies at run time, so one build serves every x86-64 machine.
function(ordered_gnn_add_simd_sources target)
  ordered_gnn_use_simd_kernels(${target})
  foreach(source IN LISTS ARGN)
    foreach(level IN LISTS simd_levels)
      ordered_gnn_add_simd_source(${target} ${level} ${source})
    endforeach()
  endforeach()
endfunction()
