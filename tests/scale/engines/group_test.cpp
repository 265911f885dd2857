#include <gtest/gtest.h>
#include <torch/types.h>

#include <functional>
#include <thread>

#include "scale/engines/gloo.h"
#include "scale/engines/local_group.h"
#include "scale/engines/nccl.h"
#include "scale/features.h"
#include "support/errors.h"

namespace ordered_gnn::scale {
namespace {

using Body = std::function<void(Group&)>;

void run_with_local(int64_t ranks, const Body& body) {
  LocalHub hub(ranks);
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] { body(*hub.rank(r)); });
  }
  for (std::thread& thread : threads) thread.join();
}

void run_with_gloo(int64_t ranks, const Body& body) {
  const BoardServer server({"127.0.0.1", 0});
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < ranks; ++r) {
    threads.emplace_back([&, r] {
      GlooOptions options;
      options.rank = r;
      options.size = ranks;
      options.place = {"127.0.0.1", server.port()};
      const auto group = make_gloo_group(options);
      body(*group);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// Rank r sends r + 2 s + 1 numbers to rank s, and none to rank 0 from rank 1.
int64_t count_of(int64_t from, int64_t to) {
  return from == 1 && to == 0 ? 0 : from + 2 * to + 1;
}

void check_exchange(Group& group) {
  const int64_t ranks = group.size(), rank = group.rank();
  std::vector<int64_t> send_bytes, receive_bytes;
  std::vector<at::Tensor> sends, expected;
  for (int64_t r = 0; r < ranks; ++r) {
    send_bytes.push_back(count_of(rank, r) * 8);
    receive_bytes.push_back(count_of(r, rank) * 8);
    const auto numbers = [](int64_t from, int64_t to) {
      return torch::full({count_of(from, to)}, 100 * from + to, torch::kLong);
    };
    sends.push_back(numbers(rank, r));
    expected.push_back(numbers(r, rank));
  }
  const at::Tensor want = torch::cat(expected);
  at::Tensor got = torch::zeros_like(want);
  group.exchange(torch::cat(sends), send_bytes, got, receive_bytes);
  EXPECT_TRUE(torch::equal(got, want)) << rank;
}

void check_all(Group& group) {
  for (int round = 0; round < 3; ++round) check_exchange(group);
  at::Tensor word = torch::full({5}, group.rank() == 0 ? 7.5 : 0.0);
  group.broadcast(word);
  EXPECT_TRUE(torch::equal(word, torch::full({5}, 7.5)));
  if (group.rank() > 0) {
    group.send(torch::full({2, 3}, group.rank(), torch::kDouble), 0);
    return;
  }
  for (int64_t r = 1; r < group.size(); ++r) {
    at::Tensor received = torch::zeros({2, 3}, torch::kDouble);
    group.receive(received, r);
    EXPECT_TRUE(torch::equal(received, torch::full({2, 3}, r, torch::kDouble)));
  }
}

// Messages of two tags, which arrive whichever is waited for first; those of a
// tag in the order in which they were asked for.
void check_messages(Group& group) {
  const int64_t rank = group.rank();
  const auto word = [](int64_t from, int64_t tag, int64_t round) {
    return torch::full({3}, 100 * from + 10 * tag + round, torch::kLong);
  };
  std::vector<at::Tensor> values;
  std::vector<std::unique_ptr<Transfer>> sent;
  for (int64_t r = 0; r < group.size(); ++r) {
    for (const int64_t tag : {0, 5}) {
      for (int64_t round = 0; r != rank && round < 2; ++round) {
        values.push_back(word(rank, tag, round));
        sent.push_back(group.start_send(values.back(), r, tag));
      }
    }
  }
  for (int64_t r = 0; r < group.size(); ++r) {
    for (const int64_t tag : {5, 0}) {
      if (r == rank) continue;
      const at::Tensor first = torch::zeros({3}, torch::kLong);
      const at::Tensor second = torch::zeros({3}, torch::kLong);
      const auto earlier = group.start_receive(first, r, tag);
      const auto later = group.start_receive(second, r, tag);
      later->wait();
      earlier->wait();
      EXPECT_TRUE(torch::equal(first, word(r, tag, 0))) << rank;
      EXPECT_TRUE(torch::equal(second, word(r, tag, 1))) << rank;
    }
  }
  for (const auto& transfer : sent) transfer->wait();
}

// A message that never comes need not be waited for, however many would.
void check_abort(Group& group) {
  if (group.rank() == 0) {
    const at::Tensor got = torch::zeros({3}, torch::kLong);
    const auto transfer = group.start_receive(got, 1, 3);
    std::string said;
    std::thread waiting([&] { said = error_of([&] { transfer->wait(); }); });
    transfer->abort();
    waiting.join();
    EXPECT_TRUE(contains(said, "nobody waits for this message"));
    said = error_of([&] { transfer->wait(); });
    EXPECT_TRUE(contains(said, "nobody waits for this message"));
  }
  // Nobody goes before that is done.
  at::Tensor word = torch::zeros({1});
  group.broadcast(word);
}

TEST(LocalGroup, CarriesMessagesBesideItsCalls) {
  run_with_local(3, check_messages);
  run_with_local(2, check_abort);
}

TEST(GlooGroup, CarriesMessagesBesideItsCalls) {
  if (!has_gloo()) GTEST_SKIP() << "this build has no Gloo";
  run_with_gloo(3, check_messages);
  run_with_gloo(2, check_abort);
}

TEST(GlooGroup, SaysThatABuildHasNone) {
  if (has_gloo()) GTEST_SKIP() << "this build has Gloo";
  EXPECT_TRUE(contains(error_of([] { make_gloo_group({}); }),
                       "--engine gloo: this build has no Gloo"));
}

TEST(NcclGroup, SaysThatABuildHasNone) {
  if (has_nccl()) GTEST_SKIP() << "this build has NCCL";
  EXPECT_TRUE(contains(error_of([] { make_nccl_group({}); }),
                       "--engine nccl: this build has no NCCL"));
}

TEST(Features, NameTheEnginesOfThisBuild) {
  std::vector<std::string> expected = {"local"};
  if (has_gloo()) expected.emplace_back("gloo");
  if (has_nccl()) expected.emplace_back("nccl");
  EXPECT_EQ(engines(), expected);
}

TEST(LocalGroup, CarriesBytesBetweenRanks) {
  for (const int64_t ranks : {1, 2, 4}) run_with_local(ranks, check_all);
}

TEST(LocalGroup, LetsGoOfWhoWaitsForARankThatFailed) {
  LocalHub hub(2);
  std::string said;
  std::thread waiting([&] {
    const auto group = hub.rank(1);
    at::Tensor word = torch::zeros({1});
    said = error_of([&] { group->receive(word, 0); });
  });
  hub.abort("rank 0 could not read its part");
  waiting.join();
  EXPECT_EQ(said, "rank 0 could not read its part");
}

TEST(GlooGroup, CarriesBytesBetweenRanks) {
  if (!has_gloo()) GTEST_SKIP() << "this build has no Gloo";
  for (const int64_t ranks : {2, 4}) run_with_gloo(ranks, check_all);
}

TEST(GlooGroup, SaysThatNobodyAnswers) {
  if (!has_gloo()) GTEST_SKIP() << "this build has no Gloo";
  int port = 0;
  {
    const BoardServer gone({"127.0.0.1", 0});
    port = gone.port();
  }
  EXPECT_TRUE(contains(
      error_of([&] {
        open_board({"127.0.0.1", port}, std::chrono::milliseconds(1000));
      }),
      "nobody answers at 127.0.0.1"));
}

TEST(GlooGroup, SaysThatAPortIsInUse) {
  if (!has_gloo()) GTEST_SKIP() << "this build has no Gloo";
  const BoardServer first({"127.0.0.1", 0});
  EXPECT_TRUE(contains(error_of([&] {
                         const BoardServer second({"127.0.0.1", first.port()});
                       }),
                       "is the port in use?"));
}

TEST(GlooGroup, SaysWhenNotAllRanksCome) {
  if (!has_gloo()) GTEST_SKIP() << "this build has no Gloo";
  const BoardServer server({"127.0.0.1", 0});
  GlooOptions options;
  options.size = 2;
  options.place = {"127.0.0.1", server.port()};
  options.patience = std::chrono::milliseconds(1500);
  EXPECT_TRUE(contains(error_of([&] { make_gloo_group(options); }),
                       "rank 0 of 2 could not reach all others"));
}

TEST(GlooBoard, KeepsTextsForAllRanks) {
  if (!has_gloo()) GTEST_SKIP() << "this build has no Gloo";
  const BoardServer server({"127.0.0.1", 0});
  const MeetingPlace place = {"127.0.0.1", server.port()};
  const auto one = open_board(place, std::chrono::milliseconds(5000));
  const auto two = open_board(place, std::chrono::milliseconds(5000));
  EXPECT_EQ(two->read("beat"), std::nullopt);
  one->write("beat", "12");
  EXPECT_EQ(two->read("beat"), "12");
}

}  // namespace
}  // namespace ordered_gnn::scale
