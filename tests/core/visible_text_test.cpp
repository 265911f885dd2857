#include "core/visible_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace ordered_gnn::core {
namespace {

TEST(VisibleText, LeavesOrdinaryTextAsItIs) {
  for (const char* text :
       {"", "plain", "Zürich 日本 😀 שלום العربية", "a\\b", "é̂",
        "family: 👨‍👩‍👧", "left\u200Eto right"}) {
    EXPECT_EQ(visible(text), text);
    EXPECT_EQ(visible(text, LineBreaks::kept), text);
  }
}

TEST(VisibleText, ShowsWhatATerminalObeys) {
  EXPECT_EQ(visible("\033[2J\007"), "\\x1b[2J\\x07");
  EXPECT_EQ(visible(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(visible("a\x7f"), "a\\u007f");
  EXPECT_EQ(visible("\u009b31m\u0080"), "\\u009b31m\\u0080");
  EXPECT_EQ(visible("\u202Egnp.exe\u202C"), "\\u202egnp.exe\\u202c");
  EXPECT_EQ(visible("\u2066x\u2069\u2028"), "\\u2066x\\u2069\\u2028");
}

TEST(VisibleText, ShowsBytesThatAreNoText) {
  EXPECT_EQ(visible("M\xfcller"), "M\\xfcller");
  EXPECT_EQ(visible("\x9b"), "\\x9b");
  EXPECT_EQ(visible("end\xe2\x82"), "end\\xe2\\x82");
}

TEST(VisibleText, LineBreaksAreKeptWhereTheyAreMeant) {
  EXPECT_EQ(visible("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(visible("a\nb\tc\rd", LineBreaks::kept), "a\nb\tc\\rd");
}

TEST(VisibleText, JsonMeansTheSameAfterwards) {
  const nlohmann::json value = {
      {"name", "\033[1m\u202E\u009b\x7f\n\t\r \u2028 Zürich"}};
  const std::string text = value.dump(2);
  const std::string shown = visible(text, LineBreaks::kept);
  EXPECT_NE(shown, text);
  EXPECT_EQ(nlohmann::json::parse(shown), value);
}

}  // namespace
}  // namespace ordered_gnn::core
