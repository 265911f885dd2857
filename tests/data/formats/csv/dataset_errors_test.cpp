#include "data/formats/csv/csv_support.h"
#include "support/deep_json.h"

namespace ordered_gnn::data {
namespace {

TEST(CsvDataset, ShowsTheExpectedAndTheFoundHeader) {
  const auto expect = [](const char* file, const char* content,
                         const std::string& expected,
                         const std::string& found) {
    const std::string message = csv_error(
        {{std::string(file) == "sparse_features.csv" ? "features.csv" : "", ""},
         {file, content}});
    EXPECT_TRUE(contains(message, fmt::format("{}:1:", file)));
    EXPECT_TRUE(contains(
        message,
        fmt::format("expected the header '{}', got '{}'", expected, found)));
  };
  expect("edges.csv", "from,to\n0,1\n", "source,target", "from,to");
  expect("edges.csv", "0,1\n1,2\n", "source,target", "0,1");
  expect("labels.csv", "id;label\n", "node,label", "id,label");
  expect("features.csv", "id,f\n", "node,<feature>,...", "id,f");
  expect("features.csv", "node\n0\n", "node,<feature>,...", "node");
  expect("sparse_features.csv", "node,value,feature\n", "node,feature,value",
         "node,value,feature");
  expect("masks.csv", "node,train\n", "node,split_0,split_1,...", "node,train");
  expect("masks.csv", "node,split_1\n", "node,split_0,split_1,...",
         "node,split_1");
  expect("masks.csv", "node\n", "node,split_0,split_1,...", "node");
}

TEST(CsvDataset, RefusesFilesWithoutContent) {
  for (const char* file :
       {"edges.csv", "labels.csv", "features.csv", "masks.csv"}) {
    const TempDir folder;
    write_csv_files(folder.path(), small_csv());
    write_text(folder / file, "");
    EXPECT_TRUE(contains(error_of([&] { load_csv_dataset(folder.path()); }),
                         "is empty; expected"))
        << file;
  }
  EXPECT_TRUE(contains(csv_error({{"labels.csv", "node,label\n"}}),
                       "there are no nodes"));
  EXPECT_TRUE(
      contains(csv_error({{"features.csv", "node,f\n"}}), "there is no row"));
}

TEST(CsvDataset, NamesTheLineOfAnUnknownNode) {
  for (const char* edge : {"0,4", "4,0", "-1,0", "0,x", "0,1.0", "0,"}) {
    const std::string message = csv_error(
        {{"edges.csv", fmt::format("source,target\n0,1\n{}\n0,9\n", edge)}});
    EXPECT_TRUE(contains(message, "edges.csv:3:")) << edge;
    EXPECT_TRUE(contains(message, "not among the 4 nodes of labels.csv"));
  }
  EXPECT_TRUE(contains(csv_error({{"features.csv", "node,f\n0,1\n4,1\n"}}),
                       "features.csv:3: node '4' is not among"));
  EXPECT_TRUE(contains(csv_error({{"masks.csv", "node,split_0\nx,train\n"}}),
                       "masks.csv:2: node 'x' is not among"));
  EXPECT_TRUE(contains(
      csv_error({{"features.csv", ""},
                 {"sparse_features.csv", "node,feature,value\n4,0,1\n"}}),
      "sparse_features.csv:2: node '4' is not among"));
}

TEST(CsvDataset, NamesTheLineOfARowWithTheWrongWidth) {
  EXPECT_TRUE(contains(csv_error({{"edges.csv", "source,target\n0\n"}}),
                       "edges.csv:2: expected 2 columns as in the header, got "
                       "1"));
  EXPECT_TRUE(
      contains(csv_error({{"edges.csv", "source,target\n0,1,2\n"}}), "got 3"));
  EXPECT_TRUE(contains(csv_error({{"labels.csv", "node,label\n0\n"}}),
                       "labels.csv:2: expected 2 fields"));
  EXPECT_TRUE(contains(csv_error({{"features.csv", "node,f,g\n0,1\n"}}),
                       "features.csv:2: expected 3 fields"));
  const std::string dense = R"({"features": "dense"})";
  EXPECT_TRUE(contains(
      csv_error({{"features.csv", "node,f,g\n0,1\n"}, {"dataset.json", dense}}),
      "features.csv:2: expected 2 feature values, got 1"));
  EXPECT_TRUE(contains(csv_error({{"features.csv", "node,f,g\n0,1,2,3\n"},
                                  {"dataset.json", dense}}),
                       "expected 2 feature values, got 3"));
  EXPECT_TRUE(contains(csv_error({{"masks.csv", "node,split_0\n0\n"}}),
                       "masks.csv:2: expected 2 columns"));
  EXPECT_TRUE(contains(
      csv_error({{"features.csv", ""},
                 {"sparse_features.csv", "node,feature,value\n0,1\n"}}),
      "sparse_features.csv:2: expected 3 columns"));
}

TEST(CsvDataset, RefusesFeatureValuesThatAreNoFiniteNumbers) {
  for (const char* value : {"nan", "inf", "1e39", "x", "", "1 ", "\"1"}) {
    EXPECT_TRUE(contains(
        csv_error(
            {{"features.csv", fmt::format("node,f,g\n0,1,2\n1,{},2\n", value)},
             {"dataset.json", R"({"features": "dense"})"}}),
        "features.csv:3:"))
        << value;
    EXPECT_TRUE(contains(
        csv_error({{"features.csv", ""},
                   {"sparse_features.csv",
                    fmt::format("node,feature,value\n0,1,{}\n", value)}}),
        "sparse_features.csv:2:"))
        << value;
  }
  for (const char* feature : {"-1", "x", "", "1.0", "100000000"}) {
    EXPECT_TRUE(contains(
        csv_error({{"features.csv", ""},
                   {"sparse_features.csv",
                    fmt::format("node,feature,value\n0,{},1\n", feature)}}),
        "sparse_features.csv:2:"))
        << feature;
  }
}

TEST(CsvDataset, NamesTheColumnTheValueAndTheRemedyOfABadFeature) {
  const auto message = [](const char* value) {
    return csv_error({{"features.csv",
                       fmt::format("node,income,city\n0,1,2\n1,3,{}\n", value)},
                      {"dataset.json", R"({"features": "dense"})"}});
  };
  const std::string word = message("Berlin");
  EXPECT_TRUE(contains(word,
                       "features.csv:3: expected a number for column "
                       "'city', got 'Berlin'; write a number there, one "
                       "column of 0 and 1 per category"))
      << word;
  for (const char* gap : {"", "n/a", "NaN", "\"\"", "?"}) {
    EXPECT_TRUE(contains(message(gap), "column 'city'")) << message(gap);
    EXPECT_TRUE(contains(message(gap), "fill the gap with a number"))
        << message(gap);
  }
}

TEST(CsvDataset, RefusesAFeatureNumberBeyondTheStatedWidth) {
  EXPECT_TRUE(contains(
      csv_error({{"features.csv", ""},
                 {"sparse_features.csv", "node,feature,value\n0,5,1\n"},
                 {"dataset.json", R"({"num_features": 5})"}}),
      "feature number in [0, 5), got 5"));
}

TEST(CsvDataset, NamesBothLinesOfWhatIsGivenTwice) {
  EXPECT_TRUE(contains(
      csv_error({{"labels.csv", "node,label\n0,1\n\n1,0\n0,0\n2,0\n"}}),
      "labels.csv:5: node '0' was already given in line 2"));
  EXPECT_TRUE(contains(csv_error({{"labels.csv", "node,label\na,1\na,0\n"}}),
                       "labels.csv:3: node 'a' was already given in line 2"));
  EXPECT_TRUE(contains(
      csv_error({{"features.csv", "node,f\n0,1\n1,1\n1,2\n2,1\n3,1\n"}}),
      "features.csv:4: node '1' was already given in line 3"));
  EXPECT_TRUE(
      contains(csv_error({{"masks.csv", "node,split_0\n0,train\n\n0,val\n"}}),
               "masks.csv:4: node '0' was already given in line 2"));
  EXPECT_TRUE(contains(
      csv_error({{"features.csv", ""},
                 {"sparse_features.csv",
                  "node,feature,value\n0,1,1\n1,1,1\n0,0,1\n0,1,1\n"}}),
      "sparse_features.csv:5: feature 1 of node '0' was already given in line "
      "2"));
}

TEST(CsvDataset, NamesANodeWithoutFeatureRow) {
  const std::string message =
      csv_error({{"features.csv", "node,f\n0,1\n1,1\n3,1\n"}});
  EXPECT_TRUE(contains(message, "features.csv"));
  EXPECT_TRUE(contains(message, "no row for node '2'; 3 rows for 4 nodes"));
}

TEST(CsvDataset, RefusesLabelsThatAreNoClass) {
  for (const char* label : {"-2", "-1", "1000000", "red"}) {
    EXPECT_TRUE(contains(
        csv_error({{"labels.csv", fmt::format("node,label\n0,{}\n", label)},
                   {"dataset.json", R"({"num_classes": 3})"}}),
        "labels.csv:2: expected a class"))
        << label;
  }
  const std::string unknown =
      csv_error({{"labels.csv", "node,label\n0,red\n1,gren\n2,\n3,gren\n"},
                 {"dataset.json", R"({"class_names": ["red", "green"]})"}});
  EXPECT_TRUE(contains(unknown, "labels.csv:3:"));
  EXPECT_TRUE(contains(unknown, "did you mean 'green'"));
  EXPECT_TRUE(contains(csv_error({{"labels.csv",
                                   "node,label\n0,5\n1,0\n2,\n3,"
                                   "\n"},
                                  {"dataset.json", R"({"num_classes": 3})"}}),
                       "labels.csv:2: expected a class in [0, 3), got '5'"));
}

TEST(CsvDataset, RefusesEmptyIdsAndBrokenQuotes) {
  EXPECT_TRUE(contains(csv_error({{"labels.csv", "node,label\n,1\n"}}),
                       "labels.csv:2: the node id is empty"));
  EXPECT_TRUE(
      contains(csv_error({{"labels.csv", "node,label\n\"a,1\n"}}),
               "labels.csv:2: a quote is opened here and never closed"));
  EXPECT_TRUE(contains(csv_error({{"labels.csv", "node,label\n\"a\"b,1\n"}}),
                       "labels.csv:2: there is text behind a closing quote"));
}

TEST(CsvDataset, RefusesCellsThatAreNoPart) {
  EXPECT_TRUE(contains(csv_error({{"masks.csv", "node,split_0\n0,valid\n"}}),
                       "masks.csv:2: expected train, val, test"));
}

TEST(CsvDataset, RefusesMoreSplitsThanThereCanBe) {
  std::string header = "node";
  for (int k = 0; k <= 10000; ++k) header += fmt::format(",split_{}", k);
  EXPECT_TRUE(
      contains(csv_error({{"masks.csv", header + "\n"}}), "at most 10000"));
}

TEST(CsvDataset, NamesTheFileThatIsMissing) {
  EXPECT_TRUE(contains(csv_error({{"edges.csv", ""}}),
                       "there is no edges.csv or edges.csv.gz"));
  EXPECT_TRUE(contains(csv_error({{"labels.csv", ""}, {"features.csv", ""}}),
                       "there is no features.csv"));
  EXPECT_TRUE(
      contains(csv_error({{"features.csv", ""},
                          {"dataset.json", R"({"features": "sparse"})"}}),
               "there is no sparse_features.csv"));
}

TEST(CsvDataset, RefusesFeaturesThatContradictEachOther) {
  EXPECT_TRUE(contains(
      csv_error({{"sparse_features.csv", "node,feature,value\n"}}), "both"));
  EXPECT_TRUE(
      contains(csv_error({{"dataset.json", R"({"features": "identity"})"}}),
               "states identity features, but there is features.csv"));
}

TEST(CsvDataset, RefusesADamagedDescription) {
  for (const char* meta :
       {"{", "[]", "5", R"({"name": 5})", R"({"directed": 1})",
        R"({"num_classes": -1})", R"({"num_classes": 2.5})",
        R"({"num_classes": 99999999999})", R"({"num_features": "a"})",
        R"({"class_names": "a"})", R"({"notes": [1]})", R"({"version": 2})",
        R"({"features": "rich"})", R"({"treatment": {}})",
        R"({"treatment": {"direction": "up", "self_loops": "add",
            "features": "raw"}})"}) {
    EXPECT_TRUE(contains(csv_error({{"dataset.json", meta}}), "dataset.json:"))
        << meta;
  }
  EXPECT_TRUE(contains(csv_error({{"dataset.json", R"({"directd": true})"}}),
                       "did you mean 'directed'"));
  EXPECT_TRUE(contains(csv_error({{"labels.csv", "node,label\na,0\n"},
                                  {"dataset.json", R"({"node_names": ["b"]})"},
                                  {"edges.csv", "source,target\n"},
                                  {"features.csv", "node,f\na,1\n"},
                                  {"masks.csv", ""}}),
                       "node_names is for nodes"));
  EXPECT_TRUE(contains(
      csv_error({{"dataset.json", R"({"node_names": ["b"]})"}}), "1 node"));
}

TEST(CsvDataset, RefusesADeepDescription) {
  for (const std::string& meta : {deep_json(), deep_object("notes")}) {
    EXPECT_TRUE(contains(csv_error({{"dataset.json", meta}}),
                         "dataset.json: is nested deeper than 64 levels"));
  }
}

TEST(CsvDataset, RefusesATruncatedGzipFile) {
  const TempDir folder;
  write_csv_files(folder.path(), small_csv(), true);
  truncate_file(folder / "edges.csv.gz",
                std::filesystem::file_size(folder / "edges.csv.gz") - 12);
  EXPECT_TRUE(contains(error_of([&] { load_csv_dataset(folder.path()); }),
                       "edges.csv.gz"));
}

}  // namespace
}  // namespace ordered_gnn::data
