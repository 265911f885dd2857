// Asks a server on this machine for predictions, and tells how many it gave and
// how long they took; bounded in count and time.
//
//   ordered_gnn_serve_load --port 8080 --nodes 1000000 [--batch 1]
//       [--connections 4] [--requests 100000] [--seconds 20]
//       [--changes N] [--features F] [--edges 10] [--stay N] [--token TOKEN]
//
// With --changes one connection instead adds so many nodes, one after the
// other, each with --edges edges to random nodes.
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

struct Load {
  int port = 8080;
  int64_t nodes = 1000;
  int64_t batch = 1, connections = 4, requests = 100000, seconds = 20;
  int64_t changes = 0, features = 0, edges = 10, stay = 0;
  std::string token;
};

class Connection {
 public:
  explicit Connection(int port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (::connect(socket_, reinterpret_cast<sockaddr*>(&address),
                  sizeof(address)) != 0) {
      std::perror("no connection");
      std::exit(1);
    }
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  // The status of the answer; 0 when the connection broke.
  int ask(const std::string& request) {
    size_t sent = 0;
    while (sent < request.size()) {
      const ssize_t more = ::send(socket_, request.data() + sent,
                                  request.size() - sent, MSG_NOSIGNAL);
      if (more <= 0) return 0;
      sent += static_cast<size_t>(more);
    }
    answer_.clear();
    size_t head = std::string::npos;
    while ((head = answer_.find("\r\n\r\n")) == std::string::npos) {
      if (!receive()) return 0;
    }
    const size_t length = answer_.find("Content-Length: ");
    if (length > head) return 0;
    const size_t end = head + 4 + std::stoul(answer_.substr(length + 16));
    while (answer_.size() < end) {
      if (!receive()) return 0;
    }
    return std::stoi(answer_.substr(9, 3));
  }

 private:
  bool receive() {
    char bytes[65536];
    const ssize_t size = ::recv(socket_, bytes, sizeof(bytes), 0);
    if (size <= 0) return false;
    answer_.append(bytes, static_cast<size_t>(size));
    return true;
  }

  int socket_;
  std::string answer_;
};

std::string post(const Load& load, const std::string& path,
                 const std::string& body) {
  return "POST " + path +
         " HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" +
         (load.token.empty() ? ""
                             : "Authorization: Bearer " + load.token + "\r\n") +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string prediction_body(const Load& load, std::mt19937_64& random) {
  std::string body = "{\"ids\":[";
  for (int64_t i = 0; i < load.batch; ++i) {
    body += (i > 0 ? "," : "") +
            std::to_string(random() % static_cast<uint64_t>(load.nodes));
  }
  return body + "]}";
}

std::string change_body(const Load& load, const std::string& prefix,
                        int64_t number, std::mt19937_64& random) {
  const std::string name = prefix + std::to_string(number);
  std::string body = "{";
  if (load.stay > 0 && number >= load.stay) {
    body += "\"remove_nodes\":[\"" + prefix +
            std::to_string(number - load.stay) + "\"],";
  }
  body += "\"add_nodes\":[{\"id\":\"" + name + "\",\"features\":[";
  for (int64_t f = 0; f < load.features; ++f) {
    body += (f > 0 ? "," : "") + std::to_string(random() % 1000 / 1000.0);
  }
  body += "]}],\"add_edges\":[";
  for (int64_t e = 0; e < load.edges; ++e) {
    body += (e > 0 ? ",[\"" : "[\"") + name + "\"," +
            std::to_string(random() % static_cast<uint64_t>(load.nodes)) + "]";
  }
  return body + "]}";
}

// What the connections have seen together.
struct Seen {
  std::vector<double> milliseconds;
  int64_t failed = 0;
};

void report(const char* what, Seen& seen, double seconds, int64_t per_answer) {
  std::vector<double>& times = seen.milliseconds;
  if (times.empty()) {
    std::printf("%s: no answers, %ld failed\n", what,
                static_cast<long>(seen.failed));
    return;
  }
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<size_t>(share *
                                     static_cast<double>(times.size() - 1))];
  };
  const auto count = static_cast<double>(times.size());
  std::printf(
      "%s: %.0f answers in %.2f s, %.0f a second, %.0f nodes a second; "
      "milliseconds: median %.3f, p95 %.3f, p99 %.3f, most %.3f; %ld failed\n",
      what, count, seconds, count / seconds,
      count * static_cast<double>(per_answer) / seconds, at(0.5), at(0.95),
      at(0.99), times.back(), static_cast<long>(seen.failed));
}

double since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void load_predictions(const Load& load) {
  std::vector<Seen> seen(static_cast<size_t>(load.connections));
  std::atomic<int64_t> left{load.requests};
  const auto start = Clock::now();
  std::vector<std::thread> threads;
  for (size_t t = 0; t < seen.size(); ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t + 1);
      Connection connection(load.port);
      while (left-- > 0 && since(start) < static_cast<double>(load.seconds)) {
        const std::string request =
            post(load, "/v1/predict", prediction_body(load, random));
        const auto begin = Clock::now();
        const int status = connection.ask(request);
        seen[t].milliseconds.push_back(1000 * since(begin));
        seen[t].failed += status != 200;
        if (status == 0) return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = since(start);
  Seen all;
  for (const Seen& one : seen) {
    all.milliseconds.insert(all.milliseconds.end(), one.milliseconds.begin(),
                            one.milliseconds.end());
    all.failed += one.failed;
  }
  report("predictions", all, seconds, load.batch);
}

void load_changes(const Load& load) {
  std::random_device device;
  std::mt19937_64 random(device());
  const std::string prefix = "load-" + std::to_string(random() % 1000000) + "-";
  Seen seen;
  Connection connection(load.port);
  const auto start = Clock::now();
  for (int64_t i = 0;
       i < load.changes && since(start) < static_cast<double>(load.seconds);
       ++i) {
    const std::string request =
        post(load, "/v1/graph", change_body(load, prefix, i, random));
    const auto begin = Clock::now();
    const int status = connection.ask(request);
    seen.milliseconds.push_back(1000 * since(begin));
    seen.failed += status != 200 && status != 202;
    if (status == 0) break;
  }
  report("changes", seen, since(start), 1);
}

}  // namespace

int main(int argc, char** argv) {
  Load load;
  CLI::App app("Load of a server of ognn on this machine");
  app.add_option("--port", load.port);
  app.add_option("--nodes", load.nodes);
  app.add_option("--batch", load.batch);
  app.add_option("--connections", load.connections);
  app.add_option("--requests", load.requests);
  app.add_option("--seconds", load.seconds);
  app.add_option("--changes", load.changes);
  app.add_option("--features", load.features);
  app.add_option("--edges", load.edges);
  app.add_option("--stay", load.stay);
  app.add_option("--token", load.token);
  CLI11_PARSE(app, argc, argv);
  if (load.changes > 0) {
    load_changes(load);
  } else {
    load_predictions(load);
  }
  return 0;
}
