# What makes a fault in the command or the library hard to use against whoever runs
# it, applied per target so that consumers of the library never inherit it. Not in
# Debug builds, where FORTIFY has no optimiser to work with, nor beside sanitizers,
# which watch the same places.
set(ORDERED_GNN_HARDENED FALSE)
set(ORDERED_GNN_JUMP_TARGETS "")
if(ORDERED_GNN_HARDEN AND NOT ORDERED_GNN_SANITIZE
   AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(ORDERED_GNN_HARDENED TRUE)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-fstack-clash-protection ORDERED_GNN_HAS_STACK_CLASH)
  check_cxx_compiler_flag(-fcf-protection ORDERED_GNN_HAS_CF_PROTECTION)
  if(ORDERED_GNN_HAS_CF_PROTECTION)
    set(ORDERED_GNN_JUMP_TARGETS $<$<COMPILE_LANGUAGE:CXX>:-fcf-protection>)
  endif()
endif()

# For all code but the kernels.
function(ordered_gnn_harden target)
  if(NOT ORDERED_GNN_HARDENED)
    return()
  endif()
  set(fortify 2)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND
     CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    set(fortify 3)
  endif()
  set(flags -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=${fortify})
  if(ORDERED_GNN_HAS_STACK_CLASH)
    list(APPEND flags -fstack-clash-protection)
  endif()
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:CXX>:${flags}>" ${ORDERED_GNN_JUMP_TARGETS})
  # Every address is bound before main and their table read-only from then on; an
  # executable can lie anywhere, whatever the compiler's default is.
  target_link_options(${target} PRIVATE
    -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    target_link_options(${target} PRIVATE -pie)
  endif()
endfunction()

# Kernels are loops over shapes that were checked, where a guard on every call costs
# time; marking where jumps may land costs nothing, and a library is marked only
# where all of its objects are.
function(ordered_gnn_harden_kernel target)
  target_compile_options(${target} PRIVATE ${ORDERED_GNN_JUMP_TARGETS})
endfunction()
