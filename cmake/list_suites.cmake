# Writes OUT for ctest: one add_test per suite of BINARY under the label LABEL.
# LibTorch's own loops are serial there, for several tests run at a time; ours
# take their threads as ever.
execute_process(COMMAND ${BINARY} --gtest_list_tests
  OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${BINARY} cannot list its tests: ${failed}")
endif()
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${listing}")
set(content "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "[\n.]" "" suite "${suite}")
  string(APPEND content
    "add_test(\"${LABEL}/${suite}\" \"${BINARY}\" \"--gtest_filter=${suite}.*\")\n"
    "set_tests_properties(\"${LABEL}/${suite}\" PROPERTIES LABELS ${LABEL}"
    " TIMEOUT 240 ENVIRONMENT OMP_NUM_THREADS=1)\n")
endforeach()
file(WRITE ${OUT} "${content}")
