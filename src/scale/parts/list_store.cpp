#include "scale/parts/list_store.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kMostBuckets = 1024;

int64_t nodes_per_bucket(int64_t nodes, int64_t entries,
                         int64_t bucket_entries) {
  const int64_t buckets =
      std::clamp<int64_t>(entries / bucket_entries + 1, 1, kMostBuckets);
  return std::max<int64_t>((nodes + buckets - 1) / buckets, 1);
}

// An entry as a number that sorts by row and column.
constexpr int kRowShift = 32;

void write_all(const std::filesystem::path& file, std::ios::openmode mode,
               const std::vector<uint64_t>& entries) {
  std::ofstream out(file, std::ios::binary | mode);
  out.write(reinterpret_cast<const char*>(entries.data()),
            static_cast<std::streamsize>(entries.size() * sizeof(uint64_t)));
  out.close();
  if (!out) fail_in(file, "cannot be written; the disk may be full");
}

}  // namespace

ListStore::ListStore(std::filesystem::path stem, int64_t nodes, int64_t entries,
                     int64_t bucket_entries)
    : stem_(std::move(stem)),
      nodes_(nodes),
      bucket_nodes_(nodes_per_bucket(nodes, entries, bucket_entries)),
      most_waiting_(bucket_entries / 4) {
  if (nodes > std::numeric_limits<uint32_t>::max()) {
    fail(
        "a graph of {} nodes is too large to be cut piece by piece: at most "
        "2^32 - 1",
        nodes);
  }
  const int64_t buckets = (nodes + bucket_nodes_ - 1) / bucket_nodes_;
  waiting_.resize(buckets);
  counts_.assign(buckets, 0);
  // What a killed run left.
  for (int64_t b = 0; b < buckets; ++b) write_all(file_of(b), {}, {});
}

std::filesystem::path ListStore::file_of(int64_t bucket) const {
  return stem_.string() + fmt::format("-{:04}.bin", bucket);
}

void ListStore::add(int64_t row, int64_t column) {
  const int64_t bucket = row / bucket_nodes_;
  const auto place = static_cast<uint64_t>(row - bucket * bucket_nodes_);
  waiting_[bucket].push_back(place << kRowShift |
                             static_cast<uint64_t>(column));
  const auto room =
      static_cast<size_t>(std::max<int64_t>(most_waiting_ / num_buckets(), 1));
  if (waiting_[bucket].size() >= room) flush(bucket);
}

void ListStore::flush(int64_t bucket) {
  std::vector<uint64_t>& entries = waiting_[bucket];
  if (entries.empty()) return;
  write_all(file_of(bucket), std::ios::app, entries);
  counts_[bucket] += static_cast<int64_t>(entries.size());
  entries = {};  // clear() would keep all that buckets ever had
}

void ListStore::sort() {
  for (int64_t b = 0; b < num_buckets(); ++b) {
    flush(b);
    std::vector<uint64_t> entries(counts_[b]);
    std::ifstream in(file_of(b), std::ios::binary);
    in.read(reinterpret_cast<char*>(entries.data()),
            static_cast<std::streamsize>(entries.size() * sizeof(uint64_t)));
    if (!in) fail_in(file_of(b), "cannot be read back");
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    counts_[b] = static_cast<int64_t>(entries.size());
    write_all(file_of(b), {}, entries);
  }
  waiting_.clear();
}

ListStore::Rows ListStore::read(int64_t bucket) const {
  std::vector<uint64_t> entries(counts_[bucket]);
  std::ifstream in(file_of(bucket), std::ios::binary);
  in.read(reinterpret_cast<char*>(entries.data()),
          static_cast<std::streamsize>(entries.size() * sizeof(uint64_t)));
  if (!in) fail_in(file_of(bucket), "cannot be read back");
  Rows rows;
  rows.first = bucket * bucket_nodes_;
  const int64_t count = std::min(bucket_nodes_, nodes_ - rows.first);
  rows.rowptr.assign(count + 1, 0);
  rows.column.reserve(entries.size());
  for (const uint64_t entry : entries) {
    ++rows.rowptr[(entry >> kRowShift) + 1];
    rows.column.push_back(static_cast<uint32_t>(entry));
  }
  std::partial_sum(rows.rowptr.begin(), rows.rowptr.end(), rows.rowptr.begin());
  return rows;
}

int64_t ListStore::num_entries() const {
  return std::accumulate(counts_.begin(), counts_.end(), int64_t{0});
}

}  // namespace ordered_gnn::scale
