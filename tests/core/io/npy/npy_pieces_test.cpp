#include <sys/syscall.h>
#include <torch/types.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <map>

#include "core/io/io_support.h"
#include "core/io/npy/npy.h"
#include "ordered_gnn/core/parallel.h"

// What writing ends with at these places of a file, by the piece they are in.
static std::map<int64_t, int> failing_pieces;
// Bytes that a call moves at most; 0: all.
static std::atomic<size_t> most_moved{0};

// Stands in front of that of the C library.
extern "C" ssize_t pwrite(int file, const void* data, size_t size,
                          off_t offset) {
  const auto failing =
      failing_pieces.find(offset / ordered_gnn::core::AtomicFile::kPieceBytes);
  if (failing != failing_pieces.end()) {
    errno = failing->second;
    return -1;
  }
  const size_t most = most_moved;
  return ::syscall(SYS_pwrite64, file, data,
                   most == 0 ? size : std::min(size, most), offset);
}

namespace ordered_gnn::core {
namespace {

// Bytes of which no two places look alike.
std::string mixed_bytes(int64_t size) {
  std::string bytes(static_cast<size_t>(size), '\0');
  uint32_t state = 1;
  for (char& byte : bytes) {
    state = state * 1664525u + 1013904223u;
    byte = static_cast<char>(state >> 24);
  }
  return bytes;
}

at::Tensor tensor_over(std::string& bytes) {
  return torch::from_blob(bytes.data(), {static_cast<int64_t>(bytes.size())},
                          at::kByte);
}

// With a header of 128 bytes: files that end at a piece, around it, and at
// several.
TEST(NpyPieces, WritesTheSameBytesOnAnyNumberOfThreads) {
  constexpr int64_t kPiece = AtomicFile::kPieceBytes;
  const TempDir dir;
  for (const int64_t size : {kPiece - 128, kPiece, kPiece + 1, 2 * kPiece - 128,
                             2 * kPiece - 127, 3 * kPiece}) {
    std::string bytes = mixed_bytes(size);
    const at::Tensor values = tensor_over(bytes);
    const std::string want = npy_header(values) + bytes;
    ASSERT_EQ(want.size(), bytes.size() + 128);
    for (const int64_t threads : {1, 2, 3}) {
      const ThreadScope scope(threads);
      write_npy(dir / "x.npy", values);
      EXPECT_TRUE(read_file(dir / "x.npy") == want)
          << size << " bytes, " << threads << " threads";
    }
  }
}

TEST(NpyPieces, WritesOnWhenACallMovesLessThanItWasGiven) {
  const TempDir dir;
  std::string bytes = mixed_bytes(2 * AtomicFile::kPieceBytes + 12345);
  const at::Tensor values = tensor_over(bytes);
  const ThreadScope scope(2);
  most_moved = 100003;
  write_npy(dir / "x.npy", values);
  most_moved = 0;
  EXPECT_TRUE(read_file(dir / "x.npy") == npy_header(values) + bytes);
}

TEST(NpyPieces, NamesTheFileAndTheErrorOfAnyPiece) {
  const TempDir dir;
  write_npy(dir / "x.npy", torch::arange(3));
  const std::string before = read_file(dir / "x.npy");
  std::string bytes = mixed_bytes(3 * AtomicFile::kPieceBytes + 1);
  const at::Tensor values = tensor_over(bytes);
  for (const int64_t threads : {1, 2, 3}) {
    const ThreadScope scope(threads);
    for (const int64_t piece : {0, 1, 3}) {
      failing_pieces = {{piece, ENOSPC}};
      const std::string message =
          error_of([&] { write_npy(dir / "x.npy", values); });
      failing_pieces.clear();
      EXPECT_MENTIONS(message, (dir / "x.npy").string() + ": writing stopped");
      EXPECT_MENTIONS(message, "the disk is full;");
      EXPECT_MENTIONS(message, "the previous file is unchanged");
      EXPECT_EQ(dir.names(), std::vector<std::string>{"x.npy"});
      EXPECT_TRUE(read_file(dir / "x.npy") == before);
    }
  }
}

// One thread stops at the first; several may meet both.
TEST(NpyPieces, TellsAnErrorWhenSeveralPiecesFail) {
  const TempDir dir;
  std::string bytes = mixed_bytes(3 * AtomicFile::kPieceBytes);
  const at::Tensor values = tensor_over(bytes);
  for (const int64_t threads : {1, 3}) {
    const ThreadScope scope(threads);
    failing_pieces = {{1, ENOSPC}, {2, EIO}};
    const std::string message =
        error_of([&] { write_npy(dir / "x.npy", values); });
    failing_pieces.clear();
    const bool is_full =
        message.find("the disk is full; nothing was left behind") !=
        std::string::npos;
    const bool is_broken =
        message.find("Input/output error; nothing was") != std::string::npos;
    EXPECT_TRUE(is_full || (threads > 1 && is_broken)) << message;
    EXPECT_TRUE(dir.names().empty());
  }
}

}  // namespace
}  // namespace ordered_gnn::core
