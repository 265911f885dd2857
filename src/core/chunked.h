#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ordered_gnn::core {

/// Rows of a table that lie together.
inline constexpr int64_t kRowsPerChunk = 128;

/// A table in chunks that versions of it share: a copy of the table copies
/// pointers, and a change copies the chunks that it touches alone. A chunk that
/// is in a table is never written to; see ChunkEditor.
template <typename Chunk>
class Chunked {
 public:
  int64_t size() const { return static_cast<int64_t>(chunks_.size()); }
  const Chunk& operator[](int64_t chunk) const {
    return *chunks_[static_cast<size_t>(chunk)];
  }
  const std::shared_ptr<const Chunk>& shared(int64_t chunk) const {
    return chunks_[static_cast<size_t>(chunk)];
  }
  void set(int64_t chunk, std::shared_ptr<const Chunk> content) {
    chunks_[static_cast<size_t>(chunk)] = std::move(content);
  }
  void resize(int64_t size) { chunks_.resize(static_cast<size_t>(size)); }

 private:
  std::vector<std::shared_ptr<const Chunk>> chunks_;
};

/// Changes chunks of a table that nobody else sees yet: each is copied when it
/// is first touched, since other versions may share it.
template <typename Chunk>
class ChunkEditor {
 public:
  /// @param table  outlives this, and is copied only after it.
  explicit ChunkEditor(Chunked<Chunk>& table) : table_(table) {}

  Chunk& operator[](int64_t chunk) {
    const auto found = own_.find(chunk);
    if (found != own_.end()) return *found->second;
    return take(chunk, std::make_shared<Chunk>(table_[chunk]));
  }

  /// Puts a chunk that is never written to in the place of another.
  void replace(int64_t chunk, std::shared_ptr<const Chunk> content) {
    own_.erase(chunk);
    table_.set(chunk, std::move(content));
  }

  /// Puts a new chunk behind the others.
  Chunk& append(std::shared_ptr<Chunk> content) {
    table_.resize(table_.size() + 1);
    return take(table_.size() - 1, std::move(content));
  }

 private:
  Chunk& take(int64_t chunk, std::shared_ptr<Chunk> content) {
    Chunk& out = *content;
    own_[chunk] = content;
    table_.set(chunk, std::move(content));
    return out;
  }

  Chunked<Chunk>& table_;
  std::unordered_map<int64_t, std::shared_ptr<Chunk>> own_;
};

/// Chunks that hold so many rows.
inline int64_t chunks_of(int64_t rows) {
  return (rows + kRowsPerChunk - 1) / kRowsPerChunk;
}

}  // namespace ordered_gnn::core
