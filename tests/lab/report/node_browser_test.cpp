#include "lab/report/node_browser.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/report/packing.h"
#include "ordered_gnn/core/options.h"
#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

// A ring of `count` nodes, every node also hearing from node 0.
NodeBrowser ring(int64_t count) {
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (int64_t v = 0; v < count; ++v) {
    edges.emplace_back((v + 1) % count, v);
    edges.emplace_back((v + count - 1) % count, v);
    edges.emplace_back(0, v);
  }
  NodeBrowser nodes;
  nodes.class_names = {"a", "b <b>"};
  nodes.in = Graph::from_edges(count, edges).in();
  nodes.num_shares = 3;
  for (int64_t v = 0; v < count; ++v) {
    nodes.label.push_back(v % 3 - 1);
    nodes.predicted.push_back(v % 2);
    nodes.confidence.push_back(0.5f);
    nodes.homophily.push_back(v == 0 ? NAN : 1.0f);
    nodes.degree.push_back(v == 0 ? 2 : 3);
    nodes.part.push_back(static_cast<uint8_t>(v % 4));
    nodes.hop_shares.insert(nodes.hop_shares.end(), {0.5f, 0.3f, 0.2f});
  }
  return nodes;
}

// The content of the element `nodes-NAME`.
std::string content_of(const PackedNodes& packed, const std::string& name) {
  const std::string open = "id=\"nodes-" + name + "\">";
  const size_t begin = packed.html.find(open);
  if (begin == std::string::npos) return "missing";
  const size_t end = packed.html.find("</script>", begin);
  return packed.html.substr(begin + open.size(), end - begin - open.size());
}

TEST(Packing, Base64FollowsTheStandard) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("f"), "Zg==");
  EXPECT_EQ(base64("fo"), "Zm8=");
  EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::string("\xff\x00\x80", 3)), "/wCA");
  EXPECT_EQ(base64_size(4), 8);
}

TEST(Packing, VarintsTakeSevenBitsAByte) {
  std::string out;
  for (const uint64_t value : {0u, 127u, 128u, 300u}) {
    append_varint(value, out);
  }
  EXPECT_EQ(out, std::string("\x00\x7f\x80\x01\xac\x02", 6));
}

TEST(Packing, SharesAreRoundedAndKeptInRange) {
  EXPECT_EQ(quantised(0), 0);
  EXPECT_EQ(quantised(1), 255);
  EXPECT_EQ(quantised(1.5), 255);
  EXPECT_EQ(quantised(-1), 0);
  EXPECT_EQ(quantised(NAN), 0);
  EXPECT_EQ(quantised(0.5), 128);
}

TEST(NodeBrowser, PacksEveryListAsTheScriptReadsIt) {
  const PackedNodes packed = pack_nodes(ring(4), 1000000);
  EXPECT_TRUE(packed.notes.empty());
  EXPECT_EQ(content_of(packed, "label"), base64({"\0\1\2\0", 4}));
  EXPECT_EQ(content_of(packed, "predicted"), base64({"\1\2\1\2", 4}));
  EXPECT_EQ(content_of(packed, "homophily"), base64("\xff\xfe\xfe\xfe"));
  EXPECT_EQ(content_of(packed, "degree"), base64("\2\3\3\3"));
  EXPECT_EQ(content_of(packed, "part"), base64({"\0\1\2\3", 4}));
  EXPECT_EQ(content_of(packed, "shares"),
            base64("\x80\x4d\x33\x80\x4d\x33\x80\x4d\x33\x80\x4d\x33"));
  // In-neighbours without loops: {1,3}, {0,2}, {0,1,3}, {0,2}.
  EXPECT_EQ(content_of(packed, "neighbours"),
            base64({"\2\1\2\2\0\2\3\0\1\2\2\0\2", 13}));
  const Json about = Json::parse(content_of(packed, "about"));
  EXPECT_EQ(about.at("nodes"), 4);
  EXPECT_EQ(about.at("most_neighbours"), -1);
  EXPECT_EQ(about.at("hops"), 2);
  EXPECT_EQ(about.at("wide"), false);
  EXPECT_EQ(about.at("classes")[1], "b <b>");
  EXPECT_EQ(packed.html.find("<b>"), std::string::npos);
}

TEST(NodeBrowser, TakesTwoBytesForManyClasses) {
  NodeBrowser nodes = ring(2);
  nodes.class_names.assign(300, "c");
  nodes.label = {299, -1};
  const PackedNodes packed = pack_nodes(nodes, 1000000);
  EXPECT_EQ(content_of(packed, "label"), base64({"\x2c\x01\x00\x00", 4}));
  EXPECT_EQ(Json::parse(content_of(packed, "about")).at("wide"), true);
}

TEST(NodeBrowser, ListsThatAreNotKnownAreEmpty) {
  NodeBrowser nodes;
  nodes.class_names = {"a"};
  nodes.label = {0, -1};
  nodes.predicted = {0, 0};
  const PackedNodes packed = pack_nodes(nodes, 1000000);
  for (const char* name :
       {"confidence", "homophily", "degree", "part", "shares", "neighbours"}) {
    EXPECT_EQ(content_of(packed, name), "") << name;
  }
  EXPECT_EQ(content_of(packed, "details"), "[]");
  EXPECT_TRUE(packed.notes.empty());
}

TEST(NodeBrowser, KeepsToItsSizeAndSaysWhatItLeftOut) {
  NodeBrowser nodes = ring(3000);
  for (int v = 0; v < 3000; ++v) {
    nodes.node_names.push_back("a rather long name of node " +
                               std::to_string(v));
  }
  const int64_t whole =
      static_cast<int64_t>(pack_nodes(nodes, 100000000).html.size());
  EXPECT_TRUE(pack_nodes(nodes, 4 * whole).notes.empty());
  // Less and less room: names, then neighbours go; the size is kept.
  for (const int64_t room : {110000, 80000, 70000, 62000}) {
    const PackedNodes packed = pack_nodes(nodes, room);
    EXPECT_LE(static_cast<int64_t>(packed.html.size()), room + 400) << room;
    EXPECT_FALSE(packed.notes.empty()) << room;
  }
  const PackedNodes least = pack_nodes(nodes, 0);
  ASSERT_EQ(least.notes.size(), 2u);
  EXPECT_TRUE(contains(least.notes[0], "too large for this page"));
  EXPECT_TRUE(contains(least.notes[1], "Names of nodes are left out"));
  EXPECT_EQ(Json::parse(content_of(least, "about")).at("most_neighbours"), 0);
}

TEST(NodeBrowser, CutsLongListsOfNeighboursFirst) {
  // Node 0 hears from everybody, nobody else hears anything.
  const int64_t count = 5000;
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (int64_t v = 1; v < count; ++v) edges.emplace_back(v, 0);
  NodeBrowser nodes;
  nodes.class_names = {"a"};
  nodes.label.assign(count, 0);
  nodes.predicted.assign(count, 0);
  nodes.in = Graph::from_edges(count, edges).in();
  const int64_t without =
      static_cast<int64_t>(pack_nodes(nodes, 100000000).html.size());
  const PackedNodes packed = pack_nodes(nodes, without - 3000);
  EXPECT_EQ(Json::parse(content_of(packed, "about")).at("most_neighbours"), 64);
  ASSERT_EQ(packed.notes.size(), 1u);
  EXPECT_TRUE(contains(packed.notes[0], "at most 64 neighbours"));
}

TEST(NodeBrowser, AddsUpTheSharesOfTheLastHops) {
  NodeBrowser nodes;
  nodes.class_names = {"a"};
  nodes.label.assign(300, 0);
  nodes.predicted.assign(300, 0);
  nodes.num_shares = 10;
  nodes.hop_shares.assign(3000, 0.1f);
  const PackedNodes packed = pack_nodes(nodes, 0);
  EXPECT_EQ(Json::parse(content_of(packed, "about")).at("shares"), 4);
  ASSERT_EQ(packed.notes.size(), 1u);
  EXPECT_TRUE(contains(packed.notes[0], "hop 3 and beyond are added up"));
  // 0.1, 0.1, 0.1 and 0.7 of 255.
  EXPECT_EQ(content_of(packed, "shares").substr(0, 8),
            base64({"\x1a\x1a\x1a\xb3\x1a\x1a", 6}));
}

TEST(NodeBrowser, RefusesListsThatDoNotFit) {
  const auto error = [](const NodeBrowser& nodes) {
    return error_of([&] { pack_nodes(nodes, 1000); });
  };
  NodeBrowser nodes = ring(4);
  nodes.confidence.pop_back();
  EXPECT_TRUE(contains(error(nodes), "3 of the nodes' confidences for 4"));
  nodes = ring(4);
  nodes.hop_shares.pop_back();
  EXPECT_TRUE(contains(error(nodes), "11 hop shares do not make 4 rows of 3"));
  nodes = ring(4);
  nodes.label[2] = 2;
  EXPECT_TRUE(contains(error(nodes), "node 2 has class 2, of 2 classes"));
  nodes = ring(4);
  nodes.in = ring(5).in;
  EXPECT_TRUE(contains(error(nodes), "the graph has 5 nodes, not 4"));
}

}  // namespace
}  // namespace ordered_gnn::lab
