#include "core/io/sha256.h"

#include <set>

#include "core/io/io_support.h"

namespace ordered_gnn::core {
namespace {

std::string digest(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

TEST(Sha256, MatchesThePublishedExamples) {
  EXPECT_EQ(digest(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(digest("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(digest("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(digest(std::string(1000000, 'a')),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, DoesNotDependOnHowTheBytesAreCut) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>(i * 7);
  const std::string want = digest(bytes);
  for (size_t step = 1; step < 200; ++step) {
    Sha256 hash;
    for (size_t at = 0; at < bytes.size(); at += step) {
      hash.update(std::string_view(bytes).substr(at, step));
    }
    EXPECT_EQ(hash.hex(), want) << "in steps of " << step;
  }
}

TEST(Sha256, DiffersForEveryLengthAroundABlock) {
  std::set<std::string> seen;
  for (size_t size = 50; size < 130; ++size) {
    seen.insert(digest(std::string(size, '\0')));
  }
  EXPECT_EQ(seen.size(), 80u);
}

TEST(Sha256, DigestsSideBySideDoNotMix) {
  Sha256 first, second;
  first.update("a");
  second.update("x");
  first.update("bc");
  EXPECT_EQ(first.hex(), digest("abc"));
  EXPECT_EQ(second.hex(), digest("x"));
}

TEST(Sha256, HashesAFile) {
  const TempDir dir;
  write_file(dir / "million", std::string(1000000, 'a'));
  EXPECT_EQ(sha256_of_file(dir / "million"),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  const std::string message = error_of([&] { sha256_of_file(dir / "none"); });
  EXPECT_MENTIONS(message, "none: no such file");
}

}  // namespace
}  // namespace ordered_gnn::core
