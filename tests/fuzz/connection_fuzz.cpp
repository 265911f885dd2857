#include <cstdlib>
#include <memory>
#include <vector>

#include "core/affixes.h"
#include "core/io/file.h"
#include "core/io/json_reader.h"
#include "fuzz/harness.h"
#include "fuzz/served.h"
#include "fuzz/targets.h"
#include "lab/serve/api.h"
#include "support/conversation.h"

namespace ordered_gnn {
namespace {

// What seeds bring, so that changes of it are tried too.
constexpr const char* kServedToken = "0123456789abcdef";
constexpr int64_t kMostServedBody = 1 << 14;

lab::Access served_access() {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "ognn-served-token";
  core::write_file(file, kServedToken);
  return lab::Access::from_file(file);
}

lab::HttpSettings served_http() {
  lab::HttpSettings out;
  out.max_body = kMostServedBody;
  return out;
}

lab::ApiSettings served_api() {
  lab::ApiSettings out;
  out.max_nodes = 20;
  out.max_body = kMostServedBody;
  return out;
}

// Remembers what was asked and answered.
class Witness : public lab::HttpHandler {
 public:
  struct Answer {
    bool is_head = false, is_change = false;
    lab::HttpReply reply;
  };
  explicit Witness(lab::HttpHandler& handler) : handler_(handler) {}

  bool takes_body(const lab::HttpCall& call) const override {
    return handler_.takes_body(call);
  }
  lab::HttpReply answer(const lab::HttpCall& call) override {
    lab::HttpReply out = handler_.answer(call);
    answers.push_back({call.method == "HEAD", call.path == "/v1/graph", out});
    return out;
  }

  std::vector<Answer> answers;

 private:
  lab::HttpHandler& handler_;
};

// A server without a socket.
struct Served {
  lab::Service service{fuzz::served_sample()};
  lab::Api api{service, served_access(), served_api()};
  Witness witness{api};
  Conversation conversation{witness, served_http()};
};

std::string_view take_until(std::string_view& text, std::string_view end) {
  const size_t at = text.find(end);
  if (at == std::string_view::npos) fail("no end in '{}'", text);
  const std::string_view out = text.substr(0, at);
  text.remove_prefix(at + end.size());
  return out;
}

size_t stated_size(std::string_view head) {
  constexpr std::string_view kField = "\r\nContent-Length: ";
  const size_t at = head.find(kField);
  if (at == std::string_view::npos) fail("no length in '{}'", head);
  return std::strtoull(head.data() + at + kField.size(), nullptr, 10);
}

// Takes one answer off, which must be the one that was given.
void take_answer(std::string_view& said, const Witness::Answer& given) {
  while (core::starts_with(said, "HTTP/1.1 100 ")) {
    take_until(said, "\r\n\r\n");
  }
  if (!core::starts_with(said,
                         fmt::format("HTTP/1.1 {} ", given.reply.status))) {
    fail("expected {} in '{}'", given.reply.status, said);
  }
  if (given.reply.status == 500) fail("{}", given.reply.body);
  const std::string_view head = take_until(said, "\r\n\r\n");
  const size_t size = stated_size(head);
  if (given.is_head) return;
  // A body may be compressed, where that was asked for.
  const bool is_plain = head.find("Content-Encoding") == std::string_view::npos;
  if (said.size() < size ||
      (is_plain && said.substr(0, size) != given.reply.body)) {
    fail("another body behind '{}'", head);
  }
  said.remove_prefix(size);
  if (given.reply.content_type != "application/problem+json") return;
  if (!core::parse_json(given.reply.body, "problem").contains("detail")) {
    fail("a problem without detail: {}", given.reply.body);
  }
}

// What was said is what was answered, one behind the other, and no more; the
// graph has had the changes that were acknowledged and no others.
void check_answers(const Served& served, std::string_view said) {
  int64_t changes = 0;
  for (const Witness::Answer& given : served.witness.answers) {
    take_answer(said, given);
    changes += given.is_change && given.reply.status < 300;
  }
  if (!said.empty()) fail("nobody has answered '{}'", said);
  const lab::ServiceStatus status = served.service.status();
  if (status.sequence != changes) {
    fail("{} changes acknowledged, {} made", changes, status.sequence);
  }
  constexpr std::chrono::seconds kMost(60);
  if (!served.service.wait_for(changes, kMost)) {
    fail("changes are never computed: {}", status.problem);
  }
}

}  // namespace

// What a client says on a connection, byte for byte: lines, headers, tokens,
// paths with their queries, and bodies, of one request or several.
void fuzz::try_connection(std::string_view input) {
  if (!lab::can_serve_http()) return;
  static std::unique_ptr<Served> served;
  // Every input meets the same graph.
  if (!served || served->service.status().sequence > 0) {
    served.reset();
    served = std::make_unique<Served>();
  }
  std::vector<Witness::Answer>& answers = served->witness.answers;
  answers.clear();
  const size_t at_once = input.size() % 3 == 0 ? 1 : 0;
  const std::string said = served->conversation.answers_to(input, at_once);
  fuzz::must_succeed("a bad answer", [&] { check_answers(*served, said); });
  const bool is_silent =
      input.find_first_not_of("\r\n") == std::string_view::npos;
  if (answers.empty() != is_silent) {
    fuzz::must_succeed("no answer", [&] { fail("{} bytes", input.size()); });
  }
  for (const Witness::Answer& given : answers) {
    if (given.reply.status >= 400) fail("refused: {}", given.reply.body);
  }
}

}  // namespace ordered_gnn
