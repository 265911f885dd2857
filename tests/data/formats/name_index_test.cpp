#include "data/formats/name_index.h"

#include "data/data_support.h"

namespace ordered_gnn::data {
namespace {

TEST(NameIndex, FindsEveryNameOfEveryLengthAndNothingElse) {
  std::vector<std::string> names;
  for (int length = 0; length <= 40; ++length) {
    names.push_back(std::string(length, 'a'));
    if (length == 0) continue;
    names.push_back(std::string(length - 1, 'a') + "b");
    names.push_back(std::string(length, '\0'));
  }
  for (int i = 0; i < 50000; ++i) names.push_back(std::to_string(i));
  NameIndex index;
  EXPECT_EQ(index.find("a"), -1);
  EXPECT_EQ(index.build(names), -1);
  for (size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(index.find(names[i]), static_cast<int64_t>(i)) << names[i];
    EXPECT_EQ(index.find(names[i] + "?"), -1) << names[i];
  }
}

TEST(NameIndex, FollowsAListThatGrows) {
  std::vector<std::string> names;
  NameIndex index;
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(index.find("name " + std::to_string(i)), -1);
    names.push_back("name " + std::to_string(i));
    index.add_last(names);
  }
  for (int i = 0; i < 1000; ++i) {
    EXPECT_EQ(index.find(names[static_cast<size_t>(i)]), i);
  }
}

TEST(NameIndex, NamesTheFirstRepeat) {
  const std::vector<std::string> names = {"x", "y", "z", "y", "x"};
  NameIndex index;
  EXPECT_EQ(index.build(names), 3);
  EXPECT_EQ(index.find("y"), 1);
}

}  // namespace
}  // namespace ordered_gnn::data
