#include <string>

#include "bindings.h"
#include "core/recycled_tensor.h"
#include "core/recycling_scope.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::python {

PYBIND11_MODULE(_core, module) {
  // Loops in Python ask for the results of layers again and again.
  core::recycle_results();
  module.doc() = "The C++ engine behind ordered_gnn; use that.";
  module.attr("version") = kVersion;
  module.attr("commit") = kCommit;
  bind_errors(module);
  bind_options(module);
  bind_datasets(module);
  bind_tables(module);
  bind_training(module);
  bind_graphs(module);
  bind_layers(module);
  bind_networks(module);
  bind_explanations(module);
  bind_searches(module);
  module.def("num_threads", &num_threads,
             "Threads that the kernels of this package use.");
  module.def("set_num_threads", &set_num_threads,
             "Sets them, 0: one per core; torch keeps its own.");
  module.def("blas_name", &blas_name);
  module.def("begin_recycling", &core::begin_recycling,
             "Lets torch keep large blocks of freed tensors for the next ones; "
             "False where somebody else's allocator is used.");
  module.def("end_recycling", &core::end_recycling,
             "Ends that and gives back what was kept.");
  module.def("release_recycled_memory", &release_recycled_memory,
             "Gives back the memory that is kept for results of ops, or for "
             "all tensors, and that nobody uses.");
}

}  // namespace ordered_gnn::python
