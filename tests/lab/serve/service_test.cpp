#include "lab/serve/service.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "core/io/file.h"
#include "core/io/json_reader.h"
#include "lab/serve/served_files.h"
#include "support/changing_graph.h"
#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

constexpr std::chrono::milliseconds kLong{20000};

// What `ognn predict` says of the graph that is served.
at::Tensor fresh_logits(const ServedFiles& files, const ServedVersion& served) {
  const std::filesystem::path file = files.dir() / "written.npz";
  data::write_npz_dataset(file, served.graph.raw());
  const Trained trained = load_trained(files.checkpoint());
  return predict(trained, load_dataset(data_for(trained, file.string())))
      .logits;
}

void expect_fresh(const ServedFiles& files, const ServedVersion& served) {
  EXPECT_TRUE(torch::equal(served.states.logits.gathered(served.graph.rows()),
                           fresh_logits(files, served)));
}

TEST(Service, AnswersAsAFreshRunOnTheChangedGraph) {
  const ServedFiles files;
  Service service(files.settings());
  expect_fresh(files, *service.version());
  PlainGraph plain(resolve_dataset([&] {
    DataOptions options;
    options.data = files.data().string();
    return options;
  }()));
  RandomStream random(3);
  for (int i = 0; i < 20; ++i) {
    const data::GraphChange change = random_change(plain, random, 0);
    if (change.empty()) continue;
    plain.apply(change);
    const int64_t sequence = service.change(change).sequence;
    ASSERT_TRUE(service.wait_for(sequence, kLong));
  }
  const auto version = service.version();
  EXPECT_EQ(version->graph.num_nodes(),
            static_cast<int64_t>(plain.names().size()));
  expect_fresh(files, *version);
}

TEST(Service, ComesBackWithEveryChangeThatWasAcknowledged) {
  const ServedFiles files;
  at::Tensor logits;
  {
    Service service(files.settings());
    service.change(one_more("a", "0"));
    data::GraphChange change;
    change.remove_nodes = {"5"};
    change.set_labels = {{"7", 1}};
    const int64_t last = service.change(change).sequence;
    EXPECT_EQ(last, 2);
    ASSERT_TRUE(service.wait_for(last, kLong));
    logits = service.version()->states.logits.gathered(
        service.version()->graph.rows());
  }
  Service again(files.settings());
  const auto version = again.version();
  EXPECT_EQ(version->sequence, 2);
  EXPECT_GE(version->graph.find("a"), 0);
  EXPECT_EQ(version->graph.find("5"), -1);
  EXPECT_EQ(version->graph.label(7), 1);
  EXPECT_TRUE(torch::equal(
      version->states.logits.gathered(version->graph.rows()), logits));
  EXPECT_EQ(again.change(one_more("b", "a")).sequence, 3);
}

TEST(Service, TellsWhatThereIsToDoAgainWhenItHasGrown) {
  const ServedFiles files;
  ServiceSettings settings = files.settings();
  std::mutex mutex;
  std::vector<int64_t> nodes;
  settings.before_pass = [&](const training::PassWork& work) {
    const std::lock_guard<std::mutex> lock(mutex);
    nodes.push_back(work.nodes);
  };
  const auto told = [&] {
    const std::lock_guard<std::mutex> lock(mutex);
    return nodes;
  };
  Service service(settings);
  EXPECT_EQ(told(), std::vector<int64_t>({60}));
  const auto grow_to = [&](int64_t count) {
    data::GraphChange change;
    for (int64_t i = service.head().num_nodes(); i < count; ++i) {
      const std::string name = "new" + std::to_string(i);
      change.add_nodes.push_back(one_more(name, "0").add_nodes[0]);
    }
    ASSERT_TRUE(service.wait_for(service.change(change).sequence, kLong));
  };
  grow_to(119);
  EXPECT_EQ(told(), std::vector<int64_t>({60}));
  grow_to(120);
  EXPECT_EQ(told(), std::vector<int64_t>({60, 120}));
  service.reload();
  EXPECT_EQ(told(), std::vector<int64_t>({60, 120, 120}));
}

TEST(Service, RefusesAChangeAsAWhole) {
  const ServedFiles files;
  Service service(files.settings());
  data::GraphChange change = one_more("a", "0");
  change.add_edges.emplace_back("a", "nobody");
  EXPECT_TRUE(contains(error_of([&] { service.change(change); }),
                       "there is no node 'nobody'"));
  EXPECT_EQ(service.status().sequence, 0);
  EXPECT_EQ(service.change(one_more("a", "0")).sequence, 1);
}

TEST(Service, CompactsItsLogAndGoesOn) {
  const ServedFiles files;
  ServiceSettings settings = files.settings();
  settings.compact_bytes = 1500;
  {
    Service service(settings);
    for (int i = 0; i < 40; ++i) {
      service.change(one_more("a" + std::to_string(i), "0"));
    }
    const auto until = std::chrono::steady_clock::now() + kLong;
    while (service.status().compactions == 0 &&
           std::chrono::steady_clock::now() < until) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    EXPECT_GE(service.status().compactions, 1);
    EXPECT_EQ(service.status().problem, "");
    EXPECT_EQ(service.change(one_more("last", "a3")).sequence, 41);
  }
  Service again(settings);
  EXPECT_EQ(again.version()->sequence, 41);
  EXPECT_EQ(again.version()->graph.num_nodes(), 60 + 41);
  EXPECT_GE(again.version()->graph.find("last"), 0);
  expect_fresh(files, *again.version());
}

// Weights go through bodies, log and compacted graph, and answers follow them.
TEST(Service, KeepsTheWeightsOfEdges) {
  const ServedFiles files(tiny_run(), true);
  ServiceSettings settings = files.settings();
  settings.compact_bytes = 400;
  const auto body = [](const char* text) {
    return core::parse_json(text, "body");
  };
  {
    Service service(settings);
    ASSERT_TRUE(service.version()->graph.is_weighted());
    const at::Tensor before = service.version()->states.logits.gathered({3, 9});
    service.change(change_from_json(
        body(R"({"add_edges": [{"source": 3, "target": "9", "weight": 40.1},
                               [8, 3]]})"),
        service.version()->graph));
    data::GraphChange more = one_more("a", "9");
    more.add_edges.emplace_back("a", "17", 0.25f);
    int64_t last = service.change(more).sequence;
    ASSERT_TRUE(service.wait_for(last, kLong));
    EXPECT_FALSE(torch::equal(service.version()->states.logits.gathered({3, 9}),
                              before));
    expect_fresh(files, *service.version());
    for (int i = 0; service.status().compactions == 0 && i < 2000; ++i) {
      data::GraphChange change;
      change.add_edges.emplace_back("5", "6", static_cast<float>(i));
      last = service.change(change).sequence;
    }
    ASSERT_GE(service.status().compactions, 1);
  }
  Service again(settings);
  const auto& graph = again.version()->graph;
  const core::ListTable::Row row = graph.in().row(graph.find("9"));
  EXPECT_NE(std::find(row.value, row.value + row.size(), 40.1f),
            row.value + row.size());
  expect_fresh(files, *again.version());
}

TEST(Service, RefusesALogOfAnotherGraph) {
  const ServedFiles files;
  { Service(files.settings()).change(one_more("a", "0")); }
  DataOptions data;
  data.data =
      "synthetic:csbm?nodes=61&classes=3&features=8&degree=4&seed=2&splits=1";
  data::write_npz_dataset(files.data(), resolve_dataset(data));
  EXPECT_TRUE(contains(error_of([&] { Service{files.settings()}; }),
                       "has been replaced since"));
}

// A compacted graph is read in its place, but only while it is still the same.
TEST(Service, KnowsTheGraphThatItBeganWith) {
  const ServedFiles files;
  ServiceSettings settings = files.settings();
  settings.compact_bytes = 300;
  {
    Service service(settings);
    for (int i = 0; service.status().compactions == 0 && i < 2000; ++i) {
      service.change(one_more("a" + std::to_string(i), "0"));
    }
    ASSERT_GE(service.status().compactions, 1);
  }
  const std::string bytes = core::read_file(files.data());
  write_text(files.data(), bytes);  // a copy, of another time
  EXPECT_GT(Service(settings).version()->sequence, 0);
  DataOptions data;
  data.data =
      "synthetic:csbm?nodes=61&classes=3&features=8&degree=4&seed=2&splits=1";
  data::write_npz_dataset(files.data(), resolve_dataset(data));
  EXPECT_TRUE(contains(error_of([&] { Service{settings}; }),
                       "has been replaced since"));
}

TEST(Service, RefusesADamagedLogByName) {
  const ServedFiles files;
  {
    Service service(files.settings());
    service.change(one_more("a", "0"));
    service.change(one_more("b", "0"));
  }
  const std::filesystem::path log = files.state() / "changes-000000000000.log";
  std::string bytes = core::read_file(log);
  bytes[bytes.size() / 2] = '#';
  write_text(log, bytes);
  const std::string said = error_of([&] { Service{files.settings()}; });
  EXPECT_TRUE(contains(said, log.string()));
  EXPECT_TRUE(contains(said, "is damaged"));
}

TEST(Service, OneServerUsesAFolder) {
  const ServedFiles files;
  Service service(files.settings());
  EXPECT_TRUE(contains(error_of([&] { Service{files.settings()}; }),
                       "in use by another server"));
}

TEST(Service, LoadsAnotherModelWhileItAnswers) {
  ServedFiles files;
  Service service(files.settings());
  service.change(one_more("a", "0"));
  const std::string before = service.version()->model->fingerprint;
  files.save_model(9);
  service.reload();
  const auto version = service.version();
  EXPECT_NE(version->model->fingerprint, before);
  EXPECT_EQ(version->sequence, 1);
  expect_fresh(files, *version);
}

// Models change while the graph does: every answer is that of one model on one
// graph, and no load fails.
TEST(Service, LoadsModelsBesideChanges) {
  ServedFiles files;
  Service service(files.settings());
  std::atomic<bool> ends{false};
  std::thread writer([&] {
    for (int i = 0; !ends; ++i) {
      service.change(one_more("w" + std::to_string(i), "3"));
    }
  });
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(error_of([&] { service.reload(); }), "");
  }
  files.save_model(9);
  service.reload();
  ends = true;
  writer.join();
  ASSERT_TRUE(service.wait_for(service.status().sequence, kLong));
  EXPECT_EQ(service.status().model_loads, 31);
  expect_fresh(files, *service.version());
}

TEST(Service, KeepsItsModelWhenTheNextDoesNotFit) {
  ServedFiles files;
  Service service(files.settings());
  const std::string before = service.version()->model->fingerprint;
  RunOptions other = tiny_run();
  other.data.data =
      "synthetic:csbm?nodes=60&classes=4&features=8&degree=4&splits=1&seed=1";
  train(load_training_dataset(other.data), 0, other).save(files.checkpoint());
  EXPECT_TRUE(contains(error_of([&] { service.reload(); }), "classes"));
  write_text(files.checkpoint(), "no model");
  EXPECT_NE(error_of([&] { service.reload(); }), "");
  EXPECT_EQ(service.version()->model->fingerprint, before);
}

// Nodes come and go all the time, beside readers and a log that is compacted:
// what a removed node took is had again.
TEST(Service, GivesUpTheRowsOfRemovedNodes) {
  const ServedFiles files;
  ServiceSettings settings = files.settings();
  settings.compact_bytes = 20000;
  at::Tensor logits;
  {
    Service service(settings);
    const auto name = [](int i) { return "a" + std::to_string(i); };
    int64_t last = 0;
    for (int i = 0; i < 700; ++i) {
      data::GraphChange change = one_more(name(i), std::to_string(i % 60));
      if (i >= 20) change.remove_nodes = {name(i - 20)};
      last = service.change(change).sequence;
      // A removed node's name is that of nobody, then of another.
      if (i % 100 == 50) service.change(one_more(name(i - 40), "1"));
      if (i % 100 == 51) {
        data::GraphChange gone;
        gone.remove_nodes = {name(i - 41)};
        service.change(gone);
      }
    }
    last = service.change(one_more("last", "a699")).sequence;
    ASSERT_TRUE(service.wait_for(last, kLong));
    const auto version = service.version();
    EXPECT_EQ(service.status().problem, "");
    EXPECT_EQ(version->graph.num_nodes(), 60 + 21);
    EXPECT_GT(service.status().rows_given_up, 200);
    EXPECT_LT(version->graph.num_rows(), 500);
    EXPECT_EQ(version->graph.find("a3"), -1);
    expect_fresh(files, *version);
    logits = version->states.logits.gathered(version->graph.rows());
  }
  Service again(settings);
  EXPECT_TRUE(torch::equal(
      again.version()->states.logits.gathered(again.version()->graph.rows()),
      logits));
}

// Readers always see one whole version, whatever is written meanwhile.
TEST(Service, ManyThreadsChangeAndRead) {
  const ServedFiles files;
  Service service(files.settings());
  std::atomic<bool> ends{false};
  std::atomic<int64_t> reads{0};
  std::thread reader([&] {
    int64_t last = 0;
    while (!ends) {
      const auto version = service.version();
      EXPECT_GE(version->sequence, last);
      last = version->sequence;
      EXPECT_EQ(version->graph.num_nodes(), 60 + last);
      EXPECT_EQ(version->states.logits.num_rows(), version->graph.num_rows());
      ++reads;
    }
  });
  std::vector<std::thread> writers;
  for (int w = 0; w < 4; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < 10; ++i) {
        service.change(one_more(fmt::format("w{}-{}", w, i), "3"));
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(service.wait_for(40, kLong));
  ends = true;
  reader.join();
  EXPECT_GT(reads, 0);
  EXPECT_EQ(service.version()->graph.num_nodes(), 100);
  expect_fresh(files, *service.version());
}

}  // namespace
}  // namespace ordered_gnn::lab
