// What the fuzzer changes by the form of a file must stay in that form, or its
// reader would refuse all of it by the first check.
#include "fuzz/mutators/mutators.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "core/io/file.h"
#include "core/io/little_endian.h"
#include "core/io/pickle/pickle.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/zip/zip.h"
#include "fuzz/parts.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/options.h"
#include "support/pickle_writer.h"
#include "support/temp_dir.h"

namespace ordered_gnn::fuzz {
namespace {

constexpr unsigned kTries = 400;

using Mutate = std::string (*)(std::string_view, Dice&);

std::string mutated(Mutate mutate, std::string_view input, unsigned seed) {
  Dice dice(seed);
  return mutate(input, dice);
}

// How many of the changed inputs are read, and how many different ones there
// are; a seed always gives the same.
struct Outcome {
  unsigned read = 0;
  size_t different = 0;
};

Outcome outcome(Mutate mutate, const std::string& input,
                const std::function<void(const std::string&)>& read) {
  Outcome out;
  std::set<std::string> seen;
  for (unsigned seed = 0; seed < kTries; ++seed) {
    const std::string changed = mutated(mutate, input, seed);
    EXPECT_EQ(changed, mutated(mutate, input, seed)) << seed;
    EXPECT_FALSE(changed.empty()) << seed;
    seen.insert(changed);
    try {
      read(changed);
      ++out.read;
    } catch (const Error&) {
    }
  }
  out.different = seen.size();
  return out;
}

void expect_both_answers(const Outcome& out) {
  EXPECT_GT(out.read, kTries / 20);
  EXPECT_LT(out.read, kTries);
  EXPECT_GT(out.different, kTries / 10);
}

TEST(FuzzMutators, PicklesAreTakenApartByTheirOpcodes) {
  // The list is kept in the memo and asked for again.
  const std::string list = pickled::integers({1, 500, -3}) + "q\x02";
  const std::string input =
      pickled::file(pickled::dict({{pickled::text("a"), list},
                                   {pickled::text("b"), "h\x02"},
                                   {pickled::integer(3), pickled::none()}}));
  expect_both_answers(outcome(
      mutate_pickle, input,
      [](const std::string& bytes) { core::parse_pickle(bytes, "changed"); }));
  EXPECT_EQ(mutated(mutate_pickle, "\x80\x02", 1), "");
}

TEST(FuzzMutators, ArchivesHaveRightChecksumsAndOffsets) {
  const TempDir dir;
  core::ZipWriter archive(dir / "a.zip");
  archive.add("a", core::ZipMethod::stored, {"some text"});
  archive.add("b", core::ZipMethod::deflated, {"more of it"});
  archive.finish();
  expect_both_answers(outcome(
      mutate_zip, core::read_file(dir / "a.zip"),
      [&](const std::string& bytes) {
        write_text(dir / "changed.zip", bytes);
        const core::ZipReader zip(dir / "changed.zip");
        for (const core::ZipEntry& entry : zip.entries()) {
          const auto source = zip.open(entry);
          std::string content(static_cast<size_t>(source->remaining()), ' ');
          source->read(content.data(), source->remaining());
          source->finish();
        }
      }));
  EXPECT_EQ(mutated(mutate_zip, "no archive", 1), "");
}

TEST(FuzzMutators, HeadersOfTensorsHaveTheirLength) {
  const TempDir dir;
  core::TensorFile content;
  content.tensors["a"] = at::ones({2, 3});
  content.tensors["b"] = at::ones({4}, at::kLong);
  content.metadata["config"] = "{}";
  core::write_safetensors(dir / "a.safetensors", content);
  expect_both_answers(
      outcome(mutate_safetensors, core::read_file(dir / "a.safetensors"),
              [&](const std::string& bytes) {
                const auto length = core::load_le<uint64_t>(bytes.data());
                ASSERT_LE(length, bytes.size() - 8);
                EXPECT_TRUE(Json::accept(bytes.substr(8, length)));
                write_text(dir / "changed.safetensors", bytes);
                core::read_safetensors(dir / "changed.safetensors");
              }));
  EXPECT_EQ(mutated(mutate_safetensors, "short", 1), "");
}

TEST(FuzzMutators, JsonStaysJson) {
  const std::string input = join_parts(
      {{"a.json", R"({"a": [1, -2, 0.5], "b": {"c": null, "d": "text"}})"},
       {"b.jsonl", "{\"x\": 1}\n{\"x\": 2}"}});
  const Outcome out =
      outcome(mutate_json_parts, input, [](const std::string& bytes) {
        const std::vector<Part> parts = split_parts(bytes);
        ASSERT_EQ(parts.size(), 2u);
        EXPECT_TRUE(Json::accept(parts[0].bytes)) << parts[0].bytes;
        const size_t end = parts[1].bytes.find('\n');
        EXPECT_TRUE(Json::accept(parts[1].bytes.substr(0, end)));
        EXPECT_TRUE(Json::accept(parts[1].bytes.substr(end + 1)));
      });
  EXPECT_EQ(out.read, kTries);
  EXPECT_GT(out.different, kTries / 2);
  // One that is too deep to be written again is left to others.
  const std::string deep = std::string(5000, '[') + std::string(5000, ']');
  EXPECT_EQ(mutated(mutate_json_parts, join_parts({{"a", deep}}), 1), "");
}

}  // namespace
}  // namespace ordered_gnn::fuzz
