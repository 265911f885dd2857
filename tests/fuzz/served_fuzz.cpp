#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

#include "core/io/file.h"
#include "core/io/json_reader.h"
#include "fuzz/harness.h"
#include "fuzz/served.h"
#include "fuzz/targets.h"
#include "lab/serve/api.h"
#include "lab/serve/http_server.h"

namespace ordered_gnn {
namespace {

// What seeds bring, so that changes of it are tried too.
constexpr const char* kServedToken = "0123456789abcdef";

lab::Access served_access() {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / "ognn-served-token";
  core::write_file(file, kServedToken);
  return lab::Access::from_file(file);
}

lab::HttpSettings served_http() {
  lab::HttpSettings out;
  out.max_body = 1 << 16;
  out.max_read = std::chrono::seconds(2);
  return out;
}

lab::ApiSettings served_api() {
  lab::ApiSettings out;
  out.max_nodes = 20;
  out.max_body = 1 << 16;
  return out;
}

struct Served {
  lab::Service service{fuzz::served_sample()};
  lab::Api api{service, served_access(), served_api()};
  lab::HttpServer server{api, served_http()};
};

// All that comes back on a connection that says this and nothing more.
std::string said_to(int port, std::string_view bytes) {
  const int connection = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string out;
  if (::connect(connection, reinterpret_cast<sockaddr*>(&address),
                sizeof(address)) == 0) {
    while (!bytes.empty()) {
      const ssize_t sent =
          ::send(connection, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) break;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    ::shutdown(connection, SHUT_WR);
    char part[4096];
    for (ssize_t size = 0;
         (size = ::recv(connection, part, sizeof(part), 0)) > 0;) {
      out.append(part, static_cast<size_t>(size));
    }
  }
  ::close(connection);
  return out;
}

// An answer of ours is whole, and an error in it says what is wrong.
void check_answer(const std::string& answer) {
  const int status = std::atoi(answer.c_str() + 9);
  if (status == 500) fail("status 500: {}", answer);
  const size_t body = answer.find("\r\n\r\n");
  if (body == std::string::npos) fail("no end of the head: {}", answer);
  if (answer.find("application/problem+json") > body) return;
  const size_t end = answer.find("\r\nHTTP/1.1 ", body);
  const Json said = core::parse_json(
      answer.substr(body + 4, end == std::string::npos ? end : end - body - 4),
      "problem");
  if (!said.contains("detail")) fail("a problem without detail: {}", answer);
}

}  // namespace

// What a client of a server sends, byte for byte: lines, headers, tokens, paths
// with their queries, and bodies.
void fuzz::try_served(std::string_view input) {
  if (!lab::can_serve_http()) return;
  static std::unique_ptr<Served> served;
  if (!served) served = std::make_unique<Served>();
  const std::string answer = said_to(served->server.port(), input);
  if (answer.rfind("HTTP/1.1 ", 0) != 0) fail("no answer");
  const bool is_head = input.rfind("HEAD ", 0) == 0;
  if (!is_head) {
    fuzz::must_succeed("a bad answer", [&] { check_answer(answer); });
  }
  // Every input meets the same graph.
  const lab::ServiceStatus status = served->service.status();
  if (status.sequence > 0) {
    fuzz::must_succeed("a change is never computed", [&] {
      const std::chrono::seconds most(60);
      if (!served->service.wait_for(status.sequence, most)) {
        fail("{}", served->service.status().problem);
      }
    });
    served.reset();
  }
  if (answer[9] >= '4') fail("refused: {}", answer);
}

}  // namespace ordered_gnn
