#include "support/conversation.h"

#include <gtest/gtest.h>

#include <vector>

#include "lab/serve/echo.h"
#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

const char* const kNext = "GET /next HTTP/1.1\r\nHost: x\r\n\r\n";

// Bytes of a connection, and what is answered.
class Said : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_serve_http()) GTEST_SKIP() << "this build has no cpp-httplib";
  }
  static HttpSettings settings() {
    HttpSettings out;
    out.max_body = 1000;
    return out;
  }
  std::string answers_to(const std::string& bytes, size_t at_once = 0) {
    return conversation_.answers_to(bytes, at_once);
  }
  // A request that is refused, and another that must not be seen behind it.
  std::string status_alone(const std::string& bytes) {
    echo_.answers = 0;
    const std::string said = answers_to(bytes + kNext);
    EXPECT_EQ(echo_.answers, 1) << bytes << "\n" << said;
    EXPECT_TRUE(contains(said, "Connection: close\r\n")) << said;
    return said.substr(9, 3);
  }
  Echo echo_;
  Conversation conversation_{echo_, settings()};
};

std::string get(const std::string& fields) {
  return "GET / HTTP/1.1\r\n" + fields + "\r\n";
}

std::string chunked(const std::string& chunks,
                    const std::string& method = "POST") {
  return method +
         " /p HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" +
         chunks;
}

TEST_F(Said, RequestsThatArriveTogetherAreAllAnswered) {
  std::string all;
  for (int i = 0; i < 50; ++i) {
    const std::string body = "b" + std::to_string(i);
    all += "\r\nPOST /p HTTP/1.1\r\nHost: x\r\nContent-Length: " +
           std::to_string(body.size()) + "\r\n\r\n" + body +
           chunked("2\r\nc" + std::to_string(i % 10) + "\r\n0\r\n\r\n") + kNext;
  }
  for (const size_t at_once : {size_t{0}, size_t{1}, size_t{7}}) {
    echo_.answers = 0;
    const std::string said = answers_to(all, at_once);
    EXPECT_EQ(echo_.answers, 150);
    EXPECT_TRUE(contains(said, "POST /p b49<end>"));
    EXPECT_TRUE(contains(said, "POST /p c9<end>"));
  }
}

// One reader would see a request in them that another does not.
TEST_F(Said, HeadsThatCanBeReadInTwoWaysAreRefused) {
  const std::string host = "Host: x\r\n";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {get(""), "400"},
      {get(host + host), "400"},
      {get(host + "Content-Length: 1\r\nContent-Length: 2\r\n"), "400"},
      {get(host + "Content-Length: 1\r\nContent-Length: 1\r\n"), "400"},
      {get(host + "Content-Length: +1\r\n"), "400"},
      {get(host + "Content-Length: -1\r\n"), "400"},
      {get(host + "Content-Length: 1, 1\r\n"), "400"},
      {get(host + "Content-Length: 0x1\r\n"), "400"},
      {get(host + "Content-Length: 99999999999999999999\r\n"), "400"},
      {get(host + "Content-Length:\r\n"), "400"},
      {get(host + "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"),
       "400"},
      {get(host + "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n"),
       "400"},
      {get(host + "Transfer-Encoding: gzip, chunked\r\n"), "501"},
      {get(host + "Transfer-Encoding: chunked\r\nTransfer-Encoding: "
                  "chunked\r\n"),
       "501"},
      {get(host + "Transfer-Encoding: xchunked\r\n"), "501"},
      {get(host + "Content-Encoding: gzip\r\n"), "415"},
      {get(host + "Content-Length : 1\r\n"), "400"},
      {get(host + " folded: 1\r\n"), "400"},
      {get(host + "no colon\r\n"), "400"},
      {get(host + ": no name\r\n"), "400"},
      {get(host + "X: a\nContent-Length: 5\r\n"), "400"},
      {get(host + "X: a\rContent-Length: 5\r\n"), "400"},
      {get(host + std::string("X: a\0b\r\n", 8)), "400"},
      {"GET / HTTP/1.1\nHost: x\n\n", "400"},
      {"GET / HTTP/2.0\r\n" + host + "\r\n", "400"},
      {"GET  / HTTP/1.1\r\n" + host + "\r\n", "400"},
      {"GET /a b HTTP/1.1\r\n" + host + "\r\n", "400"},
      {"GET /\r\n\r\n", "400"},
      {"FOO / HTTP/1.1\r\n" + host + "\r\n", "400"},
      {"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
  };
  for (const auto& [bytes, status] : cases) {
    EXPECT_EQ(status_alone(bytes), status) << bytes;
  }
}

TEST_F(Said, ChunksThatAreWrongAreNoBody) {
  for (const char* chunks :
       {"4\r\nabcdXX\r\n0\r\n\r\n", "-1\r\nabc\r\n0\r\n\r\n",
        "0x2\r\nab\r\n0\r\n\r\n", " 2\r\nab\r\n0\r\n\r\n",
        "2 \r\nab\r\n0\r\n\r\n", "\r\n\r\n", "2\nab\r\n0\r\n\r\n", "g\r\n"}) {
    EXPECT_EQ(status_alone(chunked(chunks)), "400") << chunks;
  }
  EXPECT_EQ(status_alone(chunked("fffffffffffffffff\r\n")), "413");
  EXPECT_EQ(status_alone(chunked("ffffffffffffffff\r\n")), "413");
  EXPECT_EQ(status_alone(chunked("3e9\r\n")), "413");
  // Lines around single bytes are more than the bytes.
  std::string single;
  for (int i = 0; i < 20000; ++i) single += "1;e\r\nx\r\n";
  EXPECT_EQ(status_alone(chunked(single)), "413");
  const std::string said = answers_to(
      chunked("3;name=value\r\nabc\r\n0\r\nTrailer: x\r\n\r\n") + kNext);
  EXPECT_TRUE(contains(said, "POST /p abc<end>"));
  EXPECT_TRUE(contains(said, "GET /next <end>"));
  // Whatever the method is, all of a body belongs to it.
  echo_.answers = 0;
  answers_to(
      chunked("20\r\n" + std::string(32, 'x') + "\r\n0\r\n\r\n", "DELETE") +
      kNext);
  EXPECT_EQ(echo_.answers, 2);
}

TEST_F(Said, ACutRequestIsToldSo) {
  EXPECT_EQ(answers_to("GET / HT").substr(9, 3), "400");
  EXPECT_EQ(answers_to("GET / HTTP/1.1\r\nHost: x\r\n").substr(9, 3), "400");
  EXPECT_EQ(answers_to("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: "
                       "9\r\n\r\nabc")
                .substr(9, 3),
            "400");
  EXPECT_EQ(answers_to(""), "");
  EXPECT_EQ(answers_to("\r\n\r\n"), "");
}

TEST_F(Said, ABodyThatNobodyReadsEndsTheConnection) {
  EXPECT_EQ(status_alone(get("Host: x\r\nContent-Length: 40\r\n")), "200");
  EXPECT_EQ(status_alone(get("Host: x\r\nTransfer-Encoding: chunked\r\n")),
            "200");
  EXPECT_EQ(status_alone("POST /p HTTP/1.1\r\nHost: x\r\nContent-Length: "
                         "1001\r\n\r\n"),
            "413");
}

// Answers are whole: a list of ranges would make a large one of a small one.
TEST_F(Said, RangesAreNotAnswered) {
  std::string ranges = "Range: bytes=0-";
  for (int i = 0; i < 1000; ++i) ranges += ",0-";
  const std::string whole = answers_to(get("Host: x\r\n"));
  EXPECT_EQ(answers_to(get("Host: x\r\n" + ranges + "\r\n")), whole);
  EXPECT_EQ(answers_to(get("Host: x\r\nRange: bytes=9-1\r\n")), whole);
}

TEST_F(Said, ValuesArriveAsTheyAre) {
  EXPECT_TRUE(
      contains(answers_to(get("Host: x\r\nAuthorization: Bearer a%41%%0d\r\n")),
               "Bearer a%41%%0d<end>"));
  EXPECT_TRUE(contains(answers_to("GET /a%20b?c?d HTTP/1.1\r\nHost: x\r\n\r\n"),
                       "GET /a b "));
}

TEST_F(Said, HeadAndOptionsAreRequests) {
  const std::string said = answers_to(
      "HEAD /h HTTP/1.1\r\nHost: x\r\n\r\n"
      "OPTIONS /o HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(echo_.answers, 2);
  EXPECT_FALSE(contains(said, "HEAD /h"));  // it has no body
  EXPECT_TRUE(contains(said, "OPTIONS /o <end>"));
}

}  // namespace
}  // namespace ordered_gnn::lab
