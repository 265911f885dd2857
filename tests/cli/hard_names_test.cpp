// Names of classes and nodes that a CSV writer gets wrong, read back by others.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/named_dataset.h"
#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "data/formats/npz/dataset.h"
#include "support/errors.h"
#include "support/python.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// Runs Python on a script and what follows; its output.
Outcome python(const std::filesystem::path& folder, const std::string& script,
               const std::string& argument, const std::string& module) {
  write_text(folder / "read.py", script);
  const std::string out = (folder / "python.txt").string();
  const std::string command = python_with(module) + " '" +
                              (folder / "read.py").string() + "' '" + argument +
                              "' > '" + out + "' 2>&1";
  Outcome outcome;
  outcome.status = std::system(command.c_str());
  outcome.out = core::read_file(out, 1 << 24);
  return outcome;
}

// Names that a CSV writer gets wrong, written by `ognn predict`.
class HardNames : public testing::Test {
 protected:
  void SetUp() override {
    RawDataset raw = four_classes();
    raw.class_names = classes_;
    for (size_t v = 0; v < nodes_.size(); ++v) raw.node_names[v] = nodes_[v];
    data::write_npz_dataset(dir_ / "hard.npz", raw);
    const Outcome trained = run_ognn(
        {"train", "--data", (dir_ / "hard.npz").string(), "--layers", "1",
         "--epochs", "3", "--quiet", "--out", (dir_ / "run").string()});
    ASSERT_EQ(trained.status, 0) << trained.err;
    ASSERT_EQ(predict({"--raw-csv"}).status, 0);
    // Its own file may be written again.
    const Outcome again = predict({"--raw-csv"});
    ASSERT_EQ(again.status, 0) << again.err;
    EXPECT_FALSE(contains(again.err, "apostrophe"));
    for (const std::string& name : raw.node_names) expected_.push_back(name);
    for (int64_t v = 0; v < raw.num_nodes; ++v) {
      const auto label = raw.labels[v].item<int64_t>();
      known_.push_back(label < 0 ? "" : classes_[label]);
    }
  }

  Outcome predict(const Words& more) {
    Words call = {"predict",
                  "--checkpoint",
                  (dir_ / "run/split-0/model.safetensors").string(),
                  "--columns",
                  "known",
                  "--quiet",
                  "--out",
                  csv_};
    call.insert(call.end(), more.begin(), more.end());
    return run_ognn(call);
  }

  // Compares header, nodes and labels with what Python has read.
  void compare(const Json& read) {
    Json header = {"node", "label"};
    for (const std::string& name : classes_) header.push_back("prob_" + name);
    header.push_back("known_label");
    EXPECT_EQ(read.at("header"), header);
    EXPECT_EQ(read.at("nodes"), Json(expected_));
    EXPECT_EQ(read.at("known"), Json(known_));
    for (const Json& label : read.at("labels")) {
      EXPECT_EQ(std::count(classes_.begin(), classes_.end(),
                           label.get<std::string>()),
                1);
    }
  }

  TempDir dir_;
  std::string csv_ = (dir_ / "p.csv").string();
  Words classes_ = {"north, by west", "say \"yes\"", "two\nlines\r\nand",
                    "=SUM(A1:A9)"};
  Words nodes_ = {"Müller, Jürgen", "\"quoted\"",
                  "line\nbreak",    "=1+1",
                  "+49 30",         "-5",
                  "@home",          "日本",
                  " blanks ",       "carriage\rreturn"};
  Words expected_, known_;
};

constexpr const char* kReadCsv = R"(
import csv, json, sys
rows = list(csv.reader(open(sys.argv[1], newline='', encoding='utf-8')))
assert all(len(row) == len(rows[0]) for row in rows)
if GUARDED:
    import re
    def plain(cell):
        return cell[1:] if re.match(r"'+[-=+@\t\r\n]", cell) else cell
    assert not any(re.match(r'[=+@\t\r\n]|-[^0-9.]', c)
                   for row in rows for c in row)
    rows = [[plain(cell) for cell in row] for row in rows]
print(json.dumps({'header': rows[0], 'nodes': [r[0] for r in rows[1:]],
                  'labels': [r[1] for r in rows[1:]],
                  'known': [r[-1] for r in rows[1:]]}))
)";

TEST_F(HardNames, ArriveInPythonsCsv) {
  const Outcome outcome = python(
      dir_.path(), std::string("GUARDED = False") + kReadCsv, csv_, "csv");
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  compare(Json::parse(outcome.out));
}

// No cell begins as a formula, and one rule gives the names back.
TEST_F(HardNames, AreNoFormulasUnlessTheyAreWantedRaw) {
  const Outcome guarded = predict({});
  ASSERT_EQ(guarded.status, 0) << guarded.err;
  EXPECT_TRUE(contains(guarded.err, "--raw-csv")) << guarded.err;
  const Outcome outcome = python(
      dir_.path(), std::string("GUARDED = True") + kReadCsv, csv_, "csv");
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  compare(Json::parse(outcome.out));
}

TEST_F(HardNames, AreCountedAndLeftAloneInDatasets) {
  const Outcome json = predict({"--json"});
  EXPECT_GE(Json::parse(json.out).at("guarded_cells"), 3);
  const std::string folder = (dir_ / "csv").string();
  ASSERT_EQ(run_ognn({"data", "convert", (dir_ / "hard.npz").string(), "--out",
                      folder, "--quiet"})
                .status,
            0);
  const auto info = [](const std::string& data) {
    return Json::parse(run_ognn({"data", "info", data, "--json"}).out);
  };
  EXPECT_EQ(info(folder).at("fingerprint"),
            info((dir_ / "hard.npz").string()).at("fingerprint"));
  EXPECT_EQ(info(folder).at("class_names"), Json(classes_));
}

TEST_F(HardNames, ArriveInPandas) {
  if (python_with("pandas").empty()) GTEST_SKIP() << "python3 has no pandas";
  const Outcome outcome = python(dir_.path(), R"(
import json, sys
import pandas
t = pandas.read_csv(sys.argv[1], dtype=str, keep_default_na=False)
print(json.dumps({'header': list(t.columns), 'nodes': list(t['node']),
                  'labels': list(t['label']), 'known': list(t['known_label'])}))
)",
                                 csv_, "pandas");
  ASSERT_EQ(outcome.status, 0) << outcome.out;
  compare(Json::parse(outcome.out));
}

}  // namespace
}  // namespace ordered_gnn
