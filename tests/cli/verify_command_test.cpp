#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/sha256.h"
#include "support/errors.h"
#include "support/real_data.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

TEST(DataVerify, SaysWhatIsRightWhatDiffersAndWhatIsMissing) {
  const TempDir dir;
  write_text(dir / "good", "abc");
  write_text(dir / "bad", "abd");
  const std::string sum = core::sha256_of_file(dir / "good");
  write_text(dir / "SHA256SUMS", sum + "  good\n");
  const Outcome fine = run_ognn({"data", "verify", dir.path().string()});
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_TRUE(contains(fine.out, "1 of 1 files are right")) << fine.out;
  EXPECT_TRUE(contains(fine.out, "texas"));
  EXPECT_TRUE(contains(fine.out, "lacks out1_graph_edges.txt")) << fine.out;

  write_text(dir / "SHA256SUMS",
             sum + "  good\n" + sum + "  bad\n" + sum + "  gone\n");
  const Outcome wrong =
      run_ognn({"data", "verify", dir.path().string(), "--json"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_TRUE(contains(wrong.err, "1 differ, 1 are missing")) << wrong.err;
  const Json json = Json::parse(wrong.out);
  EXPECT_EQ(json.at("right"), 1);
  EXPECT_EQ(json.at("differs"), 1);
  EXPECT_EQ(json.at("missing"), 1);
  EXPECT_EQ(json.at("unreadable"), 0);
  EXPECT_EQ(json.at("has_list"), true);
  EXPECT_EQ(json.at("files")[1].at("path"), "bad");
  EXPECT_EQ(json.at("files")[1].at("state"), "differs");
  EXPECT_EQ(json.at("files")[1].at("expected"), sum);
  EXPECT_EQ(json.at("files")[1].at("found"), core::sha256_of_file(dir / "bad"));
  for (const char* key : {"name", "complete", "folder", "missing"}) {
    EXPECT_TRUE(json.at("datasets")[0].contains(key)) << key;
  }
  const Outcome text = run_ognn({"data", "verify", dir.path().string()});
  EXPECT_TRUE(contains(text.out, "differs     bad")) << text.out;
  EXPECT_TRUE(contains(text.out, "missing     gone")) << text.out;
}

TEST(DataVerify, WithoutAListReportsDatasetsOnly) {
  const TempDir dir;
  write_text(dir / "new_data/texas/out1_graph_edges.txt", "x");
  write_text(dir / "new_data/texas/out1_node_feature_label.txt", "x");
  const Outcome outcome = run_ognn({"data", "verify", dir.path().string()});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "there is none here")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "texas          complete")) << outcome.out;
}

TEST(DataVerify, ABadListOrNoFolderFails) {
  const TempDir dir;
  write_text(dir / "SHA256SUMS", "nonsense\n");
  const Outcome bad = run_ognn({"data", "verify", dir.path().string()});
  EXPECT_EQ(bad.status, 1);
  EXPECT_TRUE(contains(bad.err, "SHA256SUMS:1:")) << bad.err;
  const Outcome none = run_ognn({"data", "verify", (dir / "no").string()});
  EXPECT_EQ(none.status, 1);
  EXPECT_TRUE(contains(none.err, "is no folder")) << none.err;
}

TEST(DataVerify, TheRealDataIsRight) {
  ORDERED_GNN_NEEDS_REAL_DATA();
  const Outcome outcome = run_ognn({"data", "verify", "--json", "--quiet"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("right"), json.at("files").size());
}

}  // namespace
}  // namespace ordered_gnn
