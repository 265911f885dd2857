#include "core/io/pickle/pickle.h"

#include <zlib.h>

#include "core/io/io_support.h"
#include "support/pickle_writer.h"

namespace ordered_gnn::core {
namespace {

Pickle unpickled(const std::string& value, int protocol = 2) {
  return parse_pickle(pickled::file(value, protocol), "x.pickle");
}

std::string parse_error(const std::string& value, int protocol = 2) {
  return error_of([&] { unpickled(value, protocol); });
}

PickleKind kind_of(const std::string& value) {
  const Pickle pickle = unpickled(value);
  return pickle.root().kind();
}

// Bytes with zeros among them.
template <size_t size>
std::string raw(const char (&bytes)[size]) {
  return std::string(bytes, size - 1);
}

TEST(Pickle, ReadsNoneAndBooleans) {
  EXPECT_EQ(kind_of("N"), PickleKind::none);
  const Pickle yes = unpickled("\x88");
  const Pickle no = unpickled("\x89");
  EXPECT_TRUE(yes.root().boolean());
  EXPECT_FALSE(no.root().boolean());
}

TEST(Pickle, ReadsIntegersOfEveryWidth) {
  const Pickle pickle =
      unpickled(raw("(K\xffM\xff\xffJ\xff\xff\xff\xffJ\0\0\0\x7ft"));
  EXPECT_EQ(pickle.root().integers(),
            (std::vector<int64_t>{255, 65535, -1, 0x7f000000}));
}

TEST(Pickle, ReadsStringsOfEveryKindAsBytes) {
  for (const std::string& value : {raw("U\x03"
                                       "a\0b"),
                                   raw("T\x03\0\0\0"
                                       "a\0b"),
                                   raw("X\x03\0\0\0"
                                       "a\0b"),
                                   raw("\x8c\x03"
                                       "a\0b"),
                                   raw("C\x03"
                                       "a\0b"),
                                   raw("B\x03\0\0\0"
                                       "a\0b")}) {
    const Pickle pickle = unpickled(value, 4);
    EXPECT_EQ(pickle.root().string(), raw("a\0b"));
  }
}

TEST(Pickle, ReadsTuplesOfEveryLength) {
  const char* const values[] = {")", "K\x01\x85", "K\x01K\x02\x86",
                                "K\x01K\x02K\x03\x87",
                                "(K\x01K\x02K\x03K\x04t"};
  for (size_t size = 0; size < 5; ++size) {
    const Pickle pickle = unpickled(values[size]);
    ASSERT_TRUE(pickle.root().is(PickleKind::tuple));
    ASSERT_EQ(pickle.root().size(), size);
    for (size_t i = 0; i < size; ++i) {
      EXPECT_EQ(pickle.root()[i].integer(), static_cast<int64_t>(i) + 1);
    }
  }
}

TEST(Pickle, ReadsListsFilledInSeveralSteps) {
  const Pickle pickle = unpickled(
      "]K\x01"
      "a(K\x02K\x03"
      "e(eK\x04"
      "a");
  ASSERT_TRUE(pickle.root().is(PickleKind::list));
  EXPECT_EQ(pickle.root().integers(), (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(Pickle, ReadsDictsInFileOrderAndFindsTheLastOfAKey) {
  const Pickle pickle =
      unpickled(raw("}U\x01"
                    "aK\x05s(U\x01"
                    "bK\x06U\x01"
                    "aK\x07K\x01Nu"));
  const PickleValue dict = pickle.root();
  ASSERT_TRUE(dict.is(PickleKind::dict));
  ASSERT_EQ(dict.size(), 4u);
  EXPECT_EQ(dict.key(0).string(), "a");
  EXPECT_EQ(dict.value(0).integer(), 5);
  EXPECT_EQ(dict.key(3).integer(), 1);
  EXPECT_EQ(dict.find("a")->integer(), 7);
  EXPECT_EQ(dict.find("b")->integer(), 6);
  EXPECT_FALSE(dict.find("c").has_value());
}

TEST(Pickle, SharesValuesThroughTheMemo) {
  const Pickle pickle =
      unpickled(raw("(]q\x05K\x01"
                    "ah\x05U\x02hir\x00\x01\x00\x00"
                    "j\x00\x01\x00\x00t"));
  const PickleValue root = pickle.root();
  ASSERT_EQ(root.size(), 4u);
  EXPECT_EQ(root[1].integers(), std::vector<int64_t>{1});
  EXPECT_EQ(root[3].string(), "hi");
}

TEST(Pickle, KeepsObjectsAsConstructorArgumentsAndState) {
  const Pickle pickle =
      unpickled(pickled::global("numpy", "dtype") + "(U\x02i4K\x01tR(K\x03tb");
  const PickleValue object = pickle.root();
  ASSERT_TRUE(object.is(PickleKind::object));
  EXPECT_EQ(object.constructor(), "numpy dtype");
  EXPECT_EQ(object.arguments()[0].string(), "i4");
  EXPECT_EQ(object.state().integers(), std::vector<int64_t>{3});
  const Pickle bare =
      unpickled(pickled::global("scipy.sparse.csr", "csr_matrix") + ")\x81");
  EXPECT_EQ(bare.root().constructor(), "scipy.sparse.csr csr_matrix");
  EXPECT_TRUE(bare.root().state().is(PickleKind::none));
}

TEST(Pickle, KnowsTheModernSpellings) {
  const std::pair<const char*, const char*> moved[] = {
      {"numpy._core.multiarray\n_reconstruct\n",
       "numpy.core.multiarray _reconstruct"},
      {"scipy.sparse._csr\ncsr_matrix\n", "scipy.sparse.csr csr_matrix"},
      {"builtins\nlist\n", "__builtin__ list"}};
  for (const auto& [now, before] : moved) {
    const Pickle pickle = unpickled(std::string("c") + now);
    EXPECT_EQ(pickle.root().constructor(), before);
  }
}

TEST(Pickle, ReadsADefaultdictAsADict) {
  const Pickle pickle = unpickled(pickled::graph({{7, {1, 2}}, {8, {}}}));
  const PickleValue graph = pickle.root();
  ASSERT_TRUE(graph.is(PickleKind::dict));
  EXPECT_EQ(graph.key(0).integer(), 7);
  EXPECT_EQ(graph.value(0).integers(), (std::vector<int64_t>{1, 2}));
  const std::string name = pickled::global("collections", "defaultdict");
  EXPECT_EQ(kind_of(name + ")R"), PickleKind::dict);
  EXPECT_EQ(kind_of(name + "N\x85R"), PickleKind::dict);
  EXPECT_MENTIONS(parse_error(name + "]\x85R"), "defaultdict of something");
  EXPECT_MENTIONS(parse_error(name + "NN\x86R"), "defaultdict of something");
}

TEST(Pickle, ReadsFramesAndTheMemoOfProtocol4) {
  const std::string body =
      raw("]\x94(\x8c\x05numpy\x94\x8c\x05"
          "dtype\x94\x93"
          "\x94h\x01"
          "e.");
  const std::string bytes = raw("\x80\x04\x95") +
                            pickled::little_endian<uint64_t>(body.size()) +
                            body;
  const Pickle pickle = parse_pickle(bytes, "x");
  ASSERT_EQ(pickle.root().size(), 2u);
  EXPECT_EQ(pickle.root()[0].constructor(), "numpy dtype");
  EXPECT_EQ(pickle.root()[1].string(), "numpy");
  const std::string lying = raw("\x80\x04\x95") +
                            pickled::little_endian<uint64_t>(body.size() + 1) +
                            body;
  EXPECT_MENTIONS(error_of([&] { parse_pickle(lying, "x"); }),
                  "FRAME at byte 2 announces");
}

TEST(Pickle, RefusesEveryOtherConstructor) {
  const std::string message =
      parse_error(pickled::global("os", "system") + "U\x04true\x85R");
  EXPECT_MENTIONS(message,
                  "x.pickle: bad pickle: GLOBAL at byte 2 names "
                  "'os system'");
  EXPECT_MENTIONS(message, "not executed");
  EXPECT_MENTIONS(message, "numpy ndarray");
  for (const char* name :
       {"builtins\neval\n", "numpy\nload\n", "numpy ndarray\n\n",
        "posix\nsystem\n", "collections\nOrderedDict\n", "\n\n", "numpy\n\n",
        "_codecs\nencode\n", "NUMPY\nndarray\n"}) {
    EXPECT_MENTIONS(parse_error(std::string("c") + name), "not executed");
  }
  EXPECT_MENTIONS(parse_error("\x8c\x02os\x8c\x06system\x93", 4),
                  "STACK_GLOBAL at byte 14 names 'os system'");
  EXPECT_MENTIONS(parse_error("K\x01K\x01\x93", 4), "needs two strings");
}

TEST(Pickle, ShowsNamesOfTheFileWithoutTheirControlCharacters) {
  const std::string message =
      parse_error("c\x1b[31m" + std::string(5000, 'a') + "\nb\n");
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  EXPECT_LT(message.size(), 600u);
}

TEST(Pickle, RefusesEveryOtherOpcode) {
  const std::string known =
      "N\x88\x89KMJUTX\x8c"
      "CB()\x85\x86\x87t]ae}suc\x93R\x81"
      "bqr\x94hj\x95.";
  for (int code = 0; code < 256; ++code) {
    if (known.find(static_cast<char>(code)) != std::string::npos) continue;
    const std::string message =
        parse_error("N" + std::string(1, static_cast<char>(code)));
    EXPECT_MENTIONS(message,
                    fmt::format("an opcode at byte 3 is 0x{:02x}", code));
    EXPECT_MENTIONS(message, "not executed");
  }
}

TEST(Pickle, RefusesOtherProtocolsAndFiles) {
  for (const int protocol : {0, 1, 5, 200}) {
    EXPECT_MENTIONS(parse_error("N", protocol),
                    fmt::format("states protocol {}", protocol));
  }
  EXPECT_MENTIONS(error_of([] { parse_pickle("N.", "x"); }), "no pickle");
  EXPECT_MENTIONS(error_of([] { parse_pickle("", "x"); }), "truncated");
}

TEST(Pickle, CallsOnlyConstructorsAndNeverList) {
  for (const char* value : {"N)R", "K\x01)R", "U\x02os)R", ")NR", ")]\x81"}) {
    EXPECT_MENTIONS(parse_error(value), "nothing is called");
  }
  const std::string list = pickled::global("__builtin__", "list");
  EXPECT_MENTIONS(parse_error(list + ")R"), "calls list");
  const std::string dtype = pickled::global("numpy", "dtype");
  EXPECT_MENTIONS(parse_error(dtype + "NR"), "a constructor and None");
  EXPECT_MENTIONS(parse_error(dtype + ")R)R"), "an object and a tuple");
}

TEST(Pickle, RefusesAStateForAnythingButAnObjectWithoutOne) {
  EXPECT_MENTIONS(parse_error("]Nb"), "needs an object to change");
  EXPECT_MENTIONS(parse_error("Nb"), "needs 1 values but 0");
  const std::string dtype = pickled::global("numpy", "dtype") + ")R";
  EXPECT_MENTIONS(parse_error(dtype + ")b)b"), "a second time");
}

TEST(Pickle, RefusesToChangeValuesOfTheWrongKind) {
  EXPECT_MENTIONS(parse_error("}Na"), "needs a list to change, found a dict");
  EXPECT_MENTIONS(parse_error(")Na"), "found a tuple");
  EXPECT_MENTIONS(parse_error("]NNs"), "needs a dict to change");
  EXPECT_MENTIONS(parse_error("N(NNu"), "found None");
  EXPECT_MENTIONS(parse_error("}(NNNu"), "a key without a value");
}

TEST(Pickle, RefusesAStackThatDoesNotHoldWhatAnOpcodeNeeds) {
  for (const char* value : {"\x85", "N\x86", "NN\x87", "a", "]a", "s", "]Ns",
                            "R", ")R", "\x81", "b", "q\x01"}) {
    EXPECT_MENTIONS(parse_error(value), "values but");
  }
  for (const char* value : {"t", "]e", "}u", "Nt"}) {
    EXPECT_MENTIONS(parse_error(value), "no MARK");
  }
  // Nothing reaches below a mark.
  EXPECT_MENTIONS(parse_error("]N(a"), "needs 2 values but 0");
  EXPECT_MENTIONS(parse_error("]((Ne"), "needs 2 values but 1");
  EXPECT_MENTIONS(parse_error("h\x07"), "asks for value 7");
}

TEST(Pickle, ExpectsOneValueAtTheEndAndNothingAfterIt) {
  EXPECT_MENTIONS(parse_error(""), "STOP at byte 2 finds 0 values");
  EXPECT_MENTIONS(parse_error("NN"), "finds 2 values");
  EXPECT_MENTIONS(parse_error("N("), "1 open marks");
  EXPECT_MENTIONS(parse_error("N.N"), "is followed by 2 more bytes");
}

TEST(Pickle, RefusesValuesThatContainThemselves) {
  const std::string dtype = pickled::global("numpy", "dtype") + ")R";
  for (const std::string& value : {
           std::string("]q\1h\1a"),   // a list in itself
           std::string("}q\1Nh\1s"),  // a dict in itself
           std::string("}q\1h\1Ns"),  // ... as its key
           std::string("]q\1(h\1\x85"
                       "e"),            // through a tuple
           std::string("(]q\1]q\2h\1a"  // two lists in each other
                       "h\1h\2at"),
           dtype + "q\1h\1b",  // an object as its own state
           dtype + "q\1h\1\x85"
                   "b",
       }) {
    const std::string message = parse_error(value);
    EXPECT_MENTIONS(message, "bad pickle");
  }
  EXPECT_MENTIONS(parse_error("]q\1h\1a"), "contain themselves");
  EXPECT_MENTIONS(parse_error("(]q\1]q\2h\1ah\1h\2at"), "contain themselves");
}

TEST(Pickle, ReadsAndFreesAMillionNestedValues) {
  constexpr size_t kDepth = 1000000;
  const Pickle lists =
      unpickled(std::string(kDepth, ']') + std::string(kDepth - 1, 'a'));
  EXPECT_EQ(lists.root().size(), 1u);
  const Pickle tuples = unpickled(")" + std::string(kDepth, '\x85'));
  PickleValue value = tuples.root();
  size_t depth = 0;
  while (value.size() > 0) {
    value = value[0];
    ++depth;
  }
  EXPECT_EQ(depth, kDepth);
  EXPECT_MENTIONS(parse_error(std::string(kDepth, '(')), "open marks");
}

TEST(Pickle, RefusesLengthsBeyondTheBytes) {
  for (const std::string& value : {raw("U\x05"
                                       "abc"),
                                   raw("T\xff\xff\xff\x7f"
                                       "abc"),
                                   raw("T\xff\xff\xff\xff"
                                       "abc"),
                                   raw("X\xff\xff\xff\xff"
                                       "abc"),
                                   raw("B\xff\xff\xff\xff"
                                       "abc"),
                                   raw("C\xff"
                                       "abc"),
                                   raw("J\0")}) {
    const std::string message = parse_error(value);
    EXPECT_MENTIONS(message, "are left; the data is truncated");
  }
  EXPECT_MENTIONS(parse_error("cnumpy"), "a line of text that ends");
}

TEST(Pickle, NamesTheFileWhenAValueIsOfAnotherKind) {
  const Pickle number = unpickled("K\x01");
  const PickleValue value = number.root();
  EXPECT_MENTIONS(error_of([&] { value.string(); }),
                  "x.pickle: the pickle should hold a string where it holds "
                  "an integer");
  EXPECT_MENTIONS(error_of([&] { value.size(); }), "hold a list");
  EXPECT_MENTIONS(error_of([&] { value.integers(); }), "hold a list");
  EXPECT_MENTIONS(error_of([&] { value.find("a"); }), "hold a dict");
  EXPECT_MENTIONS(error_of([&] { value.key(0); }), "hold a dict");
  EXPECT_MENTIONS(error_of([&] { value.boolean(); }), "hold a bool");
  EXPECT_MENTIONS(error_of([&] { value.constructor(); }), "a constructor");
  EXPECT_MENTIONS(error_of([&] { value.state(); }), "hold an object");
  const Pickle mixed = unpickled("(K\x01Nt");
  EXPECT_MENTIONS(error_of([&] { mixed.root().integers(); }),
                  "element 1 is None");
  EXPECT_MENTIONS(error_of([&] { mixed.root()[2]; }), "3 elements or more");
}

// Something of everything, small.
std::string specimen() {
  return pickled::file(pickled::tuple(
      {pickled::graph({{0, {1, 300}}, {1, {70000}}}),
       pickled::array(torch::tensor({{1, 2}, {3, 4}}, torch::kInt)),
       pickled::dict({{pickled::text("a"), pickled::boolean(true)}}),
       pickled::list({pickled::none(), pickled::integer(-5)})}));
}

TEST(Pickle, RefusesATruncationAtEveryByte) {
  const std::string content = specimen();
  for (size_t size = 0; size < content.size(); ++size) {
    EXPECT_MENTIONS(
        error_of([&] { parse_pickle(content.substr(0, size), "x.pickle"); }),
        "x.pickle: bad pickle");
  }
}

TEST(Pickle, SurvivesRandomDamage) {
  const int refused = io_test::count_refused_flips(
      specimen(), [](const std::string& bytes) { parse_pickle(bytes, "x"); },
      20000);
  EXPECT_GT(refused, 2000);
  EXPECT_LT(refused, 20000);  // a flip in a number cannot be seen
}

TEST(Pickle, ReadsPlainAndGzippedFiles) {
  const TempDir dir;
  write_text(dir / "plain", pickled::file("K\x07"));
  const std::string packed = (dir / "packed").string();
  gzFile file = gzopen(packed.c_str(), "wb");
  ASSERT_NE(file, nullptr);
  ASSERT_EQ(gzwrite(file, "\x80\x02K\x07.", 5), 5);
  ASSERT_EQ(gzclose(file), Z_OK);
  for (const char* name : {"plain", "packed"}) {
    const Pickle pickle = read_pickle(dir / name);
    EXPECT_EQ(pickle.root().integer(), 7);
  }
  EXPECT_MENTIONS(error_of([&] { read_pickle(dir / "none"); }), "no such file");
}

}  // namespace
}  // namespace ordered_gnn::core
