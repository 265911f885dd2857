// Work split: the caller gives a block of rows; four tiles of c, 32 rows by 32
// columns, are held in tile registers while all of the depth goes by.
// Memory: b goes by once for every 32 rows, which stay in the first-level
// cache. Parts of tiles at the edges go through copies with zeros.
// Determinism: the sums of product.h.
#include <immintrin.h>

#include "ops/cpu/kernels/bf16/product.h"
#include "ops/cpu/kernels/bf16/vectors.h"

namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE {
namespace {

constexpr int64_t kBytes = 64;  // of a row of every tile
constexpr int64_t kTileSize = kTileRows16 * kTileDepth16;

// The compiler does not know that loads of tiles read memory.
inline void finish_writes() { __asm__ volatile("" ::: "memory"); }

// Registers: c in 0 to 3, two rows of tiles of a in 4 and 5, two columns of b
// in 6 and 7.
struct alignas(64) TileShapes {
  uint8_t palette = 1;
  uint8_t start_row = 0;
  uint8_t unused[14] = {};
  uint16_t row_bytes[16] = {};
  uint8_t rows[16] = {};
};

class Tiles {
 public:
  Tiles() {
    TileShapes shapes;
    for (int i = 0; i < 8; ++i) {
      shapes.row_bytes[i] = kBytes;
      shapes.rows[i] = static_cast<uint8_t>(kTileRows16);
    }
    finish_writes();
    _tile_loadconfig(&shapes);
  }
  ~Tiles() { _tile_release(); }
  Tiles(const Tiles&) = delete;
  Tiles& operator=(const Tiles&) = delete;
};

struct Left {
  const Bf16* tile;
  int64_t stride;  // bytes
};

// The tile of a at (row, k); `room` holds it when it is not whole.
inline Left left_at(const Bf16Product& job, int64_t row, int64_t k,
                    Bf16* room) {
  const Bf16* const from = job.a + row * job.a_row + k;
  const int64_t rows = job.rows - row, depth = job.depth - k;
  if (rows >= kTileRows16 && depth >= kTileDepth16) {
    return {from, job.a_row * static_cast<int64_t>(sizeof(Bf16))};
  }
  std::memset(room, 0, kTileSize * sizeof(Bf16));
  for (int64_t r = 0; r < kTileRows16 && r < rows; ++r) {
    std::memcpy(room + r * kTileDepth16, from + r * job.a_row,
                sizeof(Bf16) * (depth < kTileDepth16 ? depth : kTileDepth16));
  }
  finish_writes();
  return {room, kBytes};
}

// The tile of c at (row, n), or a copy of what there is of it. What is to be
// rounded leaves its register by way of the copy, too.
class Result {
 public:
  Result(const Bf16Product& job, int64_t row, int64_t n)
      : target_(job.c + row * job.c_row + n),
        stride_(job.c_row),
        rounded_(job.rounded != nullptr
                     ? job.rounded + row * job.rounded_row + n
                     : nullptr),
        rounded_stride_(job.rounded_row),
        rows_(job.rows - row < kTileRows16 ? job.rows - row : kTileRows16),
        columns_(job.columns - n < kTileColumns16 ? job.columns - n
                                                  : kTileColumns16),
        is_whole_(rows_ == kTileRows16 && columns_ == kTileColumns16) {
    if (is_whole_) return;
    std::memset(room_, 0, sizeof(room_));
    for (int64_t r = 0; r < rows_; ++r) {
      for (int64_t i = 0; i < columns_; ++i) {
        room_[r * kTileColumns16 + i] = target_[r * stride_ + i];
      }
    }
    finish_writes();
  }

  const float* start() const { return is_whole_ ? target_ : room_; }
  int64_t start_stride() const { return is_whole_ ? target_stride() : kBytes; }

  float* end() { return is_whole_ && !rounded_ ? target_ : room_; }
  int64_t end_stride() const {
    return is_whole_ && !rounded_ ? target_stride() : kBytes;
  }

  void finish() {
    if (rounded_ != nullptr) {
      finish_rounded();
    } else if (!is_whole_) {
      for (int64_t r = 0; r < rows_; ++r) {
        for (int64_t i = 0; i < columns_; ++i) {
          target_[r * stride_ + i] = room_[r * kTileColumns16 + i];
        }
      }
    }
  }

 private:
  int64_t target_stride() const {
    return stride_ * static_cast<int64_t>(sizeof(float));
  }

  void finish_rounded() {
    finish_writes();
    for (int64_t r = 0; r < rows_; ++r) {
      const float* const from = room_ + r * kTileColumns16;
      Bf16* const to = rounded_ + r * rounded_stride_;
      if (columns_ == kTileColumns16) {
        store_row(to, load(from));
        continue;
      }
      for (int64_t i = 0; i < columns_; ++i) to[i] = narrowed(from[i]);
    }
  }

  alignas(64) float room_[kTileRows16 * kTileColumns16];
  float* const target_;
  const int64_t stride_;
  Bf16* const rounded_;
  const int64_t rounded_stride_, rows_, columns_;
  const bool is_whole_;
};

// Two rows of tiles by two columns of tiles.
void add_four(const Bf16Product& job, int64_t row, int64_t n) {
  alignas(64) Bf16 room[2][kTileSize];
  const int64_t strip = packed_size(job.depth, kTileColumns16);
  const Bf16* const b0 = job.b + n / kTileColumns16 * strip;
  const Bf16* const b1 = b0 + strip;
  const int64_t below = row + kTileRows16, beside = n + kTileColumns16;
  Result c00(job, row, n), c01(job, row, beside);
  Result c10(job, below, n), c11(job, below, beside);
  _tile_loadd(0, c00.start(), c00.start_stride());
  _tile_loadd(1, c01.start(), c01.start_stride());
  _tile_loadd(2, c10.start(), c10.start_stride());
  _tile_loadd(3, c11.start(), c11.start_stride());
  for (int64_t k = 0; k < job.depth; k += kTileDepth16) {
    const Left a0 = left_at(job, row, k, room[0]);
    const Left a1 = left_at(job, below, k, room[1]);
    _tile_loadd(4, a0.tile, a0.stride);
    _tile_loadd(6, b0 + k * kTileColumns16, kBytes);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b1 + k * kTileColumns16, kBytes);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a1.tile, a1.stride);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, c00.end(), c00.end_stride());
  _tile_stored(1, c01.end(), c01.end_stride());
  _tile_stored(2, c10.end(), c10.end_stride());
  _tile_stored(3, c11.end(), c11.end_stride());
  c00.finish();
  c01.finish();
  c10.finish();
  c11.finish();
}

void add_one(const Bf16Product& job, int64_t row, int64_t n) {
  alignas(64) Bf16 room[kTileSize];
  const Bf16* const b =
      job.b + n / kTileColumns16 * packed_size(job.depth, kTileColumns16);
  Result c(job, row, n);
  _tile_loadd(0, c.start(), c.start_stride());
  for (int64_t k = 0; k < job.depth; k += kTileDepth16) {
    const Left a = left_at(job, row, k, room);
    _tile_loadd(4, a.tile, a.stride);
    _tile_loadd(6, b + k * kTileColumns16, kBytes);
    _tile_dpbf16ps(0, 4, 6);
  }
  _tile_stored(0, c.end(), c.end_stride());
  c.finish();
}

}  // namespace

void add_bf16_product(const Bf16Product& job) {
  const Tiles tiles;
  for (int64_t row = 0; row < job.rows; row += 2 * kTileRows16) {
    const bool has_two_rows = job.rows - row > kTileRows16;
    for (int64_t n = 0; n < job.columns; n += 2 * kTileColumns16) {
      const bool has_two_columns = job.columns - n > kTileColumns16;
      if (has_two_rows && has_two_columns) {
        add_four(job, row, n);
        continue;
      }
      add_one(job, row, n);
      if (has_two_columns) add_one(job, row, n + kTileColumns16);
      if (has_two_rows) add_one(job, row + kTileRows16, n);
    }
  }
}

}  // namespace ordered_gnn::kernels::ORDERED_GNN_SIMD_NAMESPACE
