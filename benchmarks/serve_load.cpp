// Asks a server on this machine for predictions, and tells how many it gave and
// how long they took; bounded in count and time.
//
//   ordered_gnn_serve_load --port 8080 --nodes 1000000 [--batch 1]
//       [--connections 4] [--requests 100000] [--seconds 20]
//       [--changes N] [--features F] [--edges 10] [--stay N] [--token TOKEN]
//
// With --changes one connection instead adds so many nodes, one after the
// other, each with --edges edges to random nodes. With --mixed predictions,
// changes of all kinds, looks at nodes and explanations come beside each other,
// so often a second, and the server's memory is printed:
//
//   ordered_gnn_serve_load --mixed --port 8080 --nodes 50000 --features 64
//       --seconds 3600 --rate 200 --batch 10 --change-rate 10 --stay 500
//       --edges 3 --near 50 --explain 60 --sample 10
#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <thread>

#include "serve_client.h"

namespace {

std::string head_of(const Load& load, const std::string& what) {
  return what + " HTTP/1.1\r\nHost: localhost\r\n" +
         (load.token.empty() ? ""
                             : "Authorization: Bearer " + load.token + "\r\n");
}

}  // namespace

std::string get(const Load& load, const std::string& path) {
  return head_of(load, "GET " + path) + "\r\n";
}

std::string post(const Load& load, const std::string& path,
                 const std::string& body) {
  return head_of(load, "POST " + path) +
         "Content-Type: application/json\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string prediction_body(const Load& load, std::mt19937_64& random) {
  std::string body = "{\"ids\":[";
  for (int64_t i = 0; i < load.batch; ++i) {
    body += (i > 0 ? "," : "") +
            std::to_string(random() % static_cast<uint64_t>(load.nodes));
  }
  return body + "]}";
}

void report(const char* what, Seen& seen, double seconds, int64_t per_answer) {
  std::vector<float>& times = seen.milliseconds;
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
      "milliseconds: median %.3f, p95 %.3f, p99 %.3f, most %.3f; %ld failed, "
      "%ld of status 500 or more\n",
      what, count, seconds, count / seconds,
      count * static_cast<double>(per_answer) / seconds, at(0.5), at(0.95),
      at(0.99), times.back(), static_cast<long>(seen.failed),
      static_cast<long>(seen.server_errors));
}

namespace {

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
    body += (f > 0 ? "," : "") +
            std::to_string(static_cast<double>(random() % 1000) / 1000.0);
  }
  body += "]}],\"add_edges\":[";
  for (int64_t e = 0; e < load.edges; ++e) {
    body += (e > 0 ? ",[\"" : "[\"") + name + "\"," +
            std::to_string(random() % static_cast<uint64_t>(load.nodes)) + "]";
  }
  return body + "]}";
}

void load_predictions(const Load& load) {
  std::vector<Seen> seen(static_cast<size_t>(load.connections));
  std::atomic<int64_t> left{load.requests};
  const auto start = LoadClock::now();
  std::vector<std::thread> threads;
  for (size_t t = 0; t < seen.size(); ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t + 1);
      Connection connection(load.port);
      while (left-- > 0 &&
             seconds_after(start) < static_cast<double>(load.seconds)) {
        const std::string request =
            post(load, "/v1/predict", prediction_body(load, random));
        const auto begin = LoadClock::now();
        const int status = connection.ask(request);
        seen[t].add(status, seconds_after(begin));
        if (status == 0) return;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const double seconds = seconds_after(start);
  Seen all;
  for (const Seen& one : seen) all.add(one);
  report("predictions", all, seconds, load.batch);
}

void load_changes(const Load& load) {
  std::random_device device;
  std::mt19937_64 random(device());
  const std::string prefix = "load-" + std::to_string(random() % 1000000) + "-";
  Seen seen;
  Connection connection(load.port);
  const auto start = LoadClock::now();
  for (int64_t i = 0; i < load.changes &&
                      seconds_after(start) < static_cast<double>(load.seconds);
       ++i) {
    const std::string request =
        post(load, "/v1/graph", change_body(load, prefix, i, random));
    const auto begin = LoadClock::now();
    const int status = connection.ask(request);
    seen.add(status, seconds_after(begin));
    if (status == 0) break;
  }
  report("changes", seen, seconds_after(start), 1);
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
  app.add_flag("--mixed", load.mixed);
  app.add_option("--rate", load.rate);
  app.add_option("--change-rate", load.change_rate);
  app.add_option("--near", load.near);
  app.add_option("--explain", load.explain);
  app.add_option("--sample", load.sample);
  CLI11_PARSE(app, argc, argv);
  if (load.mixed) {
    load_mixed(load);
  } else if (load.changes > 0) {
    load_changes(load);
  } else {
    load_predictions(load);
  }
  return 0;
}
