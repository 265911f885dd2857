# Warnings and sanitizers, applied per target so that consumers of the library
# never inherit them.
function(ordered_gnn_set_warnings target)
  target_compile_options(${target} PRIVATE
    -Wall -Wextra -Wno-unknown-pragmas
    $<$<BOOL:${ORDERED_GNN_WERROR}>:-Werror>)
endfunction()

function(ordered_gnn_set_sanitizers target)
  if(ORDERED_GNN_SANITIZE)
    target_compile_options(${target} PRIVATE
      -fsanitize=${ORDERED_GNN_SANITIZE} -fno-omit-frame-pointer
      -fno-sanitize-recover=all)
    target_link_options(${target} PUBLIC -fsanitize=${ORDERED_GNN_SANITIZE})
  endif()
endfunction()
