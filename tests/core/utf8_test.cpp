#include "core/utf8.h"

#include <gtest/gtest.h>

namespace ordered_gnn::core {
namespace {

TEST(Utf8, CharactersComeBackAsTheyWereWritten) {
  for (const uint32_t code : {0x41u, 0x7fu, 0x80u, 0x7ffu, 0x800u, 0xd7ffu,
                              0xe000u, 0xffffu, 0x10000u, 0x10ffffu}) {
    std::string text;
    append_utf8(code, text);
    uint32_t found = 0;
    EXPECT_EQ(utf8_length(text, &found), text.size()) << code;
    EXPECT_EQ(found, code);
    text.pop_back();
    EXPECT_EQ(utf8_length(text), 0u) << code;
  }
}

TEST(Utf8, BrokenTextsAreSeenWhereverTheyStand) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("plain text, longer than eight bytes"));
  EXPECT_TRUE(is_utf8("eight by M\xC3\xBCller \xE2\x82\xAC \xF0\x9F\x98\x80"));
  for (const char* broken :
       {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80",
        "\xF4\x90\x80\x80", "\xF5\x80", "\xFF", "12345678M\xFCller"}) {
    EXPECT_FALSE(is_utf8(broken)) << broken;
    EXPECT_FALSE(is_utf8("0123456789" + std::string(broken)));
  }
}

}  // namespace
}  // namespace ordered_gnn::core
