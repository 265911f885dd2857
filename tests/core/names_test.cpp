#include "core/names.h"

#include <gtest/gtest.h>

namespace ordered_gnn::core {
namespace {

const std::vector<std::string> kNames = {"cora", "texas", "wisconsin"};

TEST(NearestName, FindsAMisspelling) {
  EXPECT_EQ(nearest_name("txas", kNames), "texas");
  EXPECT_EQ(nearest_name("wisconson", kNames), "wisconsin");
}

TEST(NearestName, TakesUpperCaseForLowerCase) {
  EXPECT_EQ(nearest_name("CORA", kNames), "cora");
  EXPECT_EQ(nearest_name("WISCONSON", kNames), "wisconsin");
  EXPECT_EQ(nearest_name("gcn", {"GCN"}), "GCN");
}

TEST(NearestName, StaysSilentWhenNothingIsClose) {
  EXPECT_EQ(nearest_name("imagenet", kNames), "");
  EXPECT_EQ(nearest_name("x", {}), "");
}

TEST(UnknownNameMessage, ListsTheKnownNames) {
  EXPECT_EQ(unknown_name_message("dataset", "txas", kNames),
            "unknown dataset 'txas'; did you mean 'texas'? Known: cora, texas, "
            "wisconsin");
  EXPECT_EQ(unknown_name_message("dataset", "imagenet", kNames),
            "unknown dataset 'imagenet'; known: cora, texas, wisconsin");
}

TEST(Listed, ReadsAsASentenceDoes) {
  EXPECT_EQ(listed({}), "");
  EXPECT_EQ(listed({"gcn"}), "gcn");
  EXPECT_EQ(listed({"gcn", "mlp"}), "gcn and mlp");
  EXPECT_EQ(listed({"gcn", "gat", "mlp"}), "gcn, gat and mlp");
}

TEST(WordOf, FindsTheWordOfAValue) {
  enum class Fruit { apple, pear, plum };
  const auto word = [](Fruit fruit) {
    return std::string(
        word_of(fruit, {{Fruit::pear, "a pear"}, {Fruit::apple, "an apple"}}));
  };
  EXPECT_EQ(word(Fruit::apple), "an apple");
  EXPECT_EQ(word(Fruit::pear), "a pear");
  EXPECT_THROW(word(Fruit::plum), std::logic_error);
}

}  // namespace
}  // namespace ordered_gnn::core
