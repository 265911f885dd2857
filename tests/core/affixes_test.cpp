#include "core/affixes.h"

#include <gtest/gtest.h>

#include <string>

namespace ordered_gnn::core {
namespace {

TEST(Affixes, AreFoundAtTheirEndOnly) {
  EXPECT_TRUE(starts_with("ind.cora.x", "ind."));
  EXPECT_FALSE(starts_with("cora.ind.", "ind."));
  EXPECT_TRUE(ends_with("ind.cora.x", ".x"));
  EXPECT_FALSE(ends_with("x.cora", "x."));
}

TEST(Affixes, LongerThanTheTextAreNotThere) {
  EXPECT_FALSE(starts_with("ind", "ind."));
  EXPECT_FALSE(ends_with("gz", ".gz"));
  EXPECT_FALSE(starts_with("", "a"));
  EXPECT_FALSE(ends_with("", "a"));
}

TEST(Affixes, OfNoCharactersAreAlwaysThere) {
  EXPECT_TRUE(starts_with("", ""));
  EXPECT_TRUE(ends_with("a", ""));
}

TEST(Affixes, AreTakenOnce) {
  std::string_view text = "aaba";
  EXPECT_TRUE(take_prefix(text, "a"));
  EXPECT_EQ(text, "aba");
  EXPECT_TRUE(take_suffix(text, "ba"));
  EXPECT_EQ(text, "a");
  EXPECT_TRUE(take_suffix(text, "a"));
  EXPECT_EQ(text, "");
}

TEST(Affixes, ThatAreNotThereLeaveTheTextAlone) {
  // What one of two overlapping affixes leaves is too short for the other.
  std::string_view text = "ind.gz";
  EXPECT_TRUE(take_suffix(text, ".gz"));
  EXPECT_FALSE(take_prefix(text, "ind."));
  EXPECT_EQ(text, "ind");
  EXPECT_FALSE(take_suffix(text, ".ind"));
  EXPECT_EQ(text, "ind");
}

}  // namespace
}  // namespace ordered_gnn::core
