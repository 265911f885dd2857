#include "scale/ranks/host_name.h"

#include <unistd.h>

namespace ordered_gnn::scale {

std::string host_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof(name) - 1) == 0 ? name : "an unnamed host";
}

}  // namespace ordered_gnn::scale
