#include "main.h"

int main(int argc, char** argv) {
  return ordered_gnn::cli::run_program(argc, argv);
}
