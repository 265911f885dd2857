#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <random>
#include <string>

#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::io_test {

#define EXPECT_MENTIONS(text, part) \
  EXPECT_NE((text).find(part), std::string::npos) << (text)

using ReadAction = std::function<void(const std::filesystem::path&)>;

/// Cuts `content` at every byte from `first` on: each piece must be refused.
inline void expect_truncation_is_refused(const std::filesystem::path& path,
                                         const std::string& content,
                                         const ReadAction& read,
                                         size_t first = 0) {
  for (size_t size = first; size < content.size(); ++size) {
    write_text(path, content.substr(0, size));
    try {
      read(path);
      ADD_FAILURE() << "read without error when cut to " << size << " bytes";
    } catch (const Error& error) {
      EXPECT_MENTIONS(std::string(error.what()), path.string());
    }
  }
}

/// Flips bits at random: each variant must be read or refused by an Error.
/// Returns how many were refused.
inline int count_refused_flips(
    const std::string& content,
    const std::function<void(const std::string&)>& read, int rounds = 1000) {
  std::mt19937 random(7);
  int refused = 0;
  for (int round = 0; round < rounds; ++round) {
    std::string damaged = content;
    for (int flips = 1 + round % 3; flips > 0; --flips) {
      damaged[random() % damaged.size()] ^=
          static_cast<char>(1 + random() % 255);
    }
    try {
      read(damaged);
    } catch (const Error&) {
      ++refused;
    }
  }
  return refused;
}

/// The same through a file.
inline int count_refused_flips(const std::filesystem::path& path,
                               const std::string& content,
                               const ReadAction& read, int rounds = 1000) {
  return count_refused_flips(
      content,
      [&](const std::string& damaged) {
        write_text(path, damaged);
        read(path);
      },
      rounds);
}

}  // namespace ordered_gnn::io_test
