#include "core/io/json_reader.h"

#include "core/io/io_support.h"
#include "support/deep_json.h"

namespace ordered_gnn::core {
namespace {

std::string refused(const std::string& text, const JsonRules& rules = {}) {
  EXPECT_FALSE(parse_json_or_nothing(text, rules));
  const std::string ordered =
      error_of([&] { parse_ordered_json(text, "f.json", rules); });
  const std::string message =
      error_of([&] { parse_json(text, "f.json", rules); });
  EXPECT_EQ(message, ordered);
  EXPECT_MENTIONS(message, "f.json: ");
  return message;
}

TEST(JsonReader, BuildsWhatTheTextSays) {
  const std::string text =
      R"( {"b": [1, -2, 2.5, 18446744073709551615, "\u00e9\n", {}, [], [[]]],
           "a": {"x": null, "y": [true, {"z": false}]}, "b2": "", "a": 3} )";
  const Json tree = parse_json(text, "f.json");
  EXPECT_EQ(tree.dump(),
            "{\"a\":3,\"b\":[1,-2,2.5,18446744073709551615,\"é\\n\",{},[],"
            "[[]]],\"b2\":\"\"}");
  EXPECT_EQ(parse_ordered_json(text, "f.json").dump(),
            "{\"b\":[1,-2,2.5,18446744073709551615,\"é\\n\",{},[],[[]]],"
            "\"a\":3,\"b2\":\"\"}");
  EXPECT_EQ(parse_json_or_nothing(text).value(), tree);
  EXPECT_TRUE(tree["b"][1].is_number_integer());
  EXPECT_TRUE(tree["b"][3].is_number_unsigned());
  for (const char* scalar : {"1", "\"x\"", "null", "true", "-0.5"}) {
    EXPECT_EQ(parse_json(scalar, "f").dump(), scalar);
  }
}

TEST(JsonReader, NamesThePlaceOfAMistake) {
  EXPECT_MENTIONS(refused("{\"a\": 1,\n \"b\": tru}"),
                  "f.json: is no JSON: syntax error");
  EXPECT_MENTIONS(refused("{\"a\": 1,\n \"b\": tru}"), "(line 2, column 10)");
  EXPECT_MENTIONS(refused("{\"a\" 1}"), "(column 6)");
  EXPECT_MENTIONS(refused("{"), "(column 2)");
  EXPECT_MENTIONS(refused(""), "(column 1)");
  EXPECT_MENTIONS(refused("1e999"), "is no JSON: number overflow");
  for (const char* text :
       {"{} x", "[1,]", "{'a': 1}", "NaN", "\"\xff\"", "\"\n\"", "01", "[1"}) {
    EXPECT_MENTIONS(refused(text), "is no JSON");
  }
}

TEST(JsonReader, PassesOverCommentsWhereTheyAreAllowed) {
  const std::string text = "{// one\n\"a\": /* two */ 1}";
  EXPECT_MENTIONS(refused(text), "(line 1, column 2)");
  const JsonRules rules{1000, /*comments=*/true};
  EXPECT_EQ(parse_json(text, "f", rules).dump(), "{\"a\":1}");
}

TEST(JsonReader, RefusesKeysThatAreThereTwiceWhereTheyMustNotBe) {
  const std::string text = R"({"a": {"b": 1}, "c": [{"b": 2, "b": 3}]})";
  EXPECT_EQ(parse_json(text, "t")["c"][0]["b"], 3);
  JsonRules rules;
  rules.unique_keys = true;
  EXPECT_MENTIONS(refused(text, rules), "an object has the key 'b' twice");
  // Objects within each other, or side by side, may share keys.
  EXPECT_EQ(parse_json(R"([{"a": {"a": 1}}, {"a": 2}])", "t", rules)[1]["a"],
            2);
}

TEST(JsonReader, RefusesDeepTextsWhileItReadsThem) {
  EXPECT_EQ(parse_json(deep_json(64), "f").dump(), deep_json(64));
  EXPECT_MENTIONS(refused(deep_json(65)),
                  "is nested deeper than 64 levels (column 65)");
  EXPECT_MENTIONS(refused("\n" + deep_json()), "(line 2, column 65)");
  std::string objects;
  for (int i = 0; i < 100000; ++i) objects += "{\"a\":";
  EXPECT_MENTIONS(refused(objects), "is nested deeper than 64 levels");
  // Brackets in texts and comments are no levels.
  EXPECT_TRUE(parse_json("\"" + deep_json() + "\"", "f").is_string());
  EXPECT_EQ(
      parse_json("/*" + deep_json() + "*/ 1", "f", {1 << 20, true}).dump(),
      "1");
}

TEST(JsonReader, RefusesLongTexts) {
  EXPECT_MENTIONS(refused("[1, 2]", {5}),
                  "has 6 bytes of JSON, at most 5 are read here");
  EXPECT_EQ(parse_json("[1,2]", "f", {5}).dump(), "[1,2]");
  const TempDir dir;
  write_text(dir / "a.json", "[1, 2]");
  EXPECT_MENTIONS(error_of([&] { read_json(dir / "a.json", {5}); }), "a.json");
  EXPECT_EQ(read_json(dir / "a.json").size(), 2u);
  EXPECT_MENTIONS(error_of([&] { read_json(dir / "none.json"); }), "none.json");
}

TEST(JsonReader, ReadingNamesTheFileOnce) {
  const Json object = {{"a", "x"}};
  const auto message = [&](const auto& body) {
    return error_of([&] { reading("f.json", "part", body); });
  };
  EXPECT_EQ(message([&] { return object.at("b").is_null(); }),
            "f.json: part: cannot be used: key 'b' not found");
  EXPECT_EQ(message([] { throw UsageError("no"); }), "f.json: part: no");
  EXPECT_EQ(message([] { fail("f.json: table: no"); }), "f.json: table: no");
  EXPECT_EQ(error_of([] { reading("f.json", [] { fail("no"); }); }),
            "f.json: no");
  EXPECT_EQ(reading("f.json", [] { return 3; }), 3);
}

// A second reader would have no limit on the depth, and other messages.
TEST(JsonReader, IsTheOnlyOne) {
  const std::filesystem::path root = ORDERED_GNN_SOURCE;
  int files = 0;
  for (const char* folder : {"src", "cli", "include"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(root / folder)) {
      const std::string name = entry.path().filename().string();
      if (!entry.is_regular_file() || name == "json_reader.cpp") continue;
      ++files;
      const std::string text = read_file(entry.path());
      for (const char* call :
           {"son::parse(", "sax_parse(", "son::accept(", "son::from_"}) {
        EXPECT_EQ(text.find(call), std::string::npos)
            << entry.path() << " reads JSON by itself: " << call;
      }
    }
  }
  EXPECT_GT(files, 300);
}

}  // namespace
}  // namespace ordered_gnn::core
