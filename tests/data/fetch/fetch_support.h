#pragma once
#include <gtest/gtest.h>

#include <chrono>

#include "core/io/file.h"
#include "core/io/sha256.h"
#include "data/data_support.h"
#include "data/fetch/fetch.h"
#include "support/loopback_server.h"

namespace ordered_gnn::data {

inline std::string text_sha256(const std::string& text) {
  core::Sha256 hash;
  hash.update(text);
  return hash.hex();
}

inline std::string long_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + "\n";
  return text;
}

/// With size and checksum of the content.
inline PublicFile described(const std::string& path,
                            const std::string& content) {
  PublicFile file;
  file.file = {path, static_cast<int64_t>(content.size()),
               text_sha256(content)};
  file.url = "https://example.invalid/" + path;
  return file;
}

/// Nothing but the path is known.
inline PublicFile undescribed(const std::string& path) {
  PublicFile file;
  file.file.path = path;
  return file;
}

/// Fetches `d/f` into a folder of its own.
class Fetch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_fetch()) GTEST_SKIP() << "this build has no HTTP client";
  }

  static FetchOptions quick(const std::string& base_url) {
    FetchOptions options;
    options.base_url = base_url;
    options.retry_delay = std::chrono::milliseconds(1);
    options.connect_timeout = std::chrono::milliseconds(2000);
    options.read_timeout = std::chrono::milliseconds(2000);
    return options;
  }

  void expect_only(const std::string& content) const {
    EXPECT_EQ(core::read_file(dir_ / "d/f"), content);
    EXPECT_FALSE(std::filesystem::exists(dir_ / "d/f.part"));
  }

  void expect_nothing() const {
    EXPECT_FALSE(std::filesystem::exists(dir_ / "d/f"));
    EXPECT_FALSE(std::filesystem::exists(dir_ / "d/f.part"));
  }

  TempDir dir_;
  const std::string text_ = long_text();
};

}  // namespace ordered_gnn::data
