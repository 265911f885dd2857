#include "mutations/archives.h"

#include "core/io/file.h"
#include "core/io/npy/npz.h"
#include "support/temp_dir.h"

namespace ordered_gnn::mutations {

Files unpacked(const std::string& archive) {
  const TempDir dir;
  write_text(dir / "a.npz", archive);
  const core::NpzReader reader(dir / "a.npz");
  Files entries;
  for (const std::string& name : reader.entries()) {
    entries[name] = reader.read_bytes(name);
  }
  return entries;
}

std::string packed(const Files& entries) {
  const TempDir dir;
  core::NpzWriter writer(dir / "a.npz");
  for (const auto& [name, bytes] : entries) writer.add_bytes(name, bytes);
  writer.finish();
  return core::read_file(dir / "a.npz");
}

}  // namespace ordered_gnn::mutations
