#include "fuzz/harness.h"
#include "fuzz/targets.h"
#include "lab/serve/change_log.h"

namespace ordered_gnn {

// The log of a server: what is read of it must be read again from what is
// written of that.
void fuzz::try_change_log(std::string_view input) {
  const lab::LogContent read = lab::parse_log(input, "log");
  fuzz::must_succeed("a log does not come back from its own text", [&] {
    std::string text = lab::log_start(read.header);
    for (const lab::LogRecord& record : read.records) {
      text += lab::encoded(record);
    }
    const lab::LogContent again = lab::parse_log(text, "log");
    if (again.records.size() != read.records.size() || again.cut_bytes != 0) {
      fail("another number of records");
    }
  });
}

}  // namespace ordered_gnn
