#include "core/io/file.h"
#include "core/io/text/text.h"
#include "fuzz/harness.h"
#include "fuzz/parts.h"
#include "fuzz/served.h"
#include "fuzz/targets.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

// The changes of a log that is intact, one a line.
void append_records(std::string_view changes, const fs::path& log) {
  std::string text = core::read_file(log);
  int64_t sequence = 0;
  core::FieldCursor lines(changes, '\n');
  for (std::string_view line; lines.next(line);) {
    text += lab::encoded({++sequence, std::string(line)});
  }
  core::write_file(log, text);
}

}  // namespace

// The folder in which a server keeps its changes: the part "changes" is written
// as a log whose checksums are right, all others are files. A server that
// starts with it starts so again.
void fuzz::try_state_folder(std::string_view input) {
  const lab::ServiceSettings settings = fuzz::served_sample();
  { const lab::Service first(settings); }
  for (const fuzz::Part& part : fuzz::split_parts(input)) {
    if (part.name == "changes") {
      append_records(part.bytes, settings.state / "changes-000000000000.log");
    } else if (part.name.find('/') == std::string::npos) {
      core::write_file(settings.state / part.name, part.bytes);
    }
  }
  const auto nodes_and_changes = [&] {
    const lab::Service service(settings);
    const auto version = service.version();
    return std::make_pair(version->graph.num_nodes(), version->sequence);
  };
  const auto first = nodes_and_changes();
  fuzz::must_succeed("a folder is read once and not again", [&] {
    if (nodes_and_changes() != first) fail("another graph");
  });
}

}  // namespace ordered_gnn
