#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "serve_client.h"

namespace {

// Lets a loop turn so often a second, and end when its time is over.
class Pace {
 public:
  Pace(const Load& load, double rate)
      : end_(LoadClock::now() + std::chrono::seconds(load.seconds)),
        step_(std::chrono::nanoseconds(
            rate > 0 ? static_cast<int64_t>(1e9 / rate) : 0)),
        next_(LoadClock::now()) {}

  bool next() {
    // Turns that were missed are not made up for.
    next_ = std::max(next_ + step_, LoadClock::now());
    std::this_thread::sleep_until(std::min(next_, end_));
    return LoadClock::now() < end_;
  }

 private:
  const LoadClock::time_point end_;
  const LoadClock::duration step_;
  LoadClock::time_point next_;
};

class Changer {
 public:
  explicit Changer(const Load& load) : load_(load), random_(11) {
    std::random_device device;
    prefix_ = "mixed-" + std::to_string(device()) + "-";
  }

  // Nodes come and go, features and labels change, edges come and go: after a
  // while the graph has as many of all as it had before.
  std::string next() {
    switch (count_++ % 5) {
      case 0:
        return "{\"set_features\":[{\"id\":" + any() +
               ",\"features\":" + features() + "}]}";
      case 1:
        return edge_body();
      case 2:
        return "{\"set_labels\":[{\"id\":" + any() +
               ",\"label\":" + std::to_string(random_() % 2) + "}]}";
      default:
        return node_body();
    }
  }

 private:
  std::string any() {
    return std::to_string(random_() % static_cast<uint64_t>(load_.nodes));
  }
  std::string features() {
    std::string out = "[";
    for (int64_t f = 0; f < load_.features; ++f) {
      out += (f > 0 ? "," : "") +
             std::to_string(static_cast<double>(random_() % 1000) / 1000.0);
    }
    return out + "]";
  }
  // One edge comes, the one before goes.
  std::string edge_body() {
    std::string edge =
        "[\"" + prefix_ + std::to_string(nodes_ - 1) + "\"," + any() + "]";
    if (nodes_ == 0) edge = "[0,1]";
    return "{\"add_edges\":[" + edge + "]}";
  }
  std::string node_body() {
    std::string body = "{";
    if (nodes_ >= load_.stay) {
      body += "\"remove_nodes\":[\"" + prefix_ +
              std::to_string(nodes_ - load_.stay) + "\"],";
    }
    const std::string name = prefix_ + std::to_string(nodes_++);
    body += "\"add_nodes\":[{\"id\":\"" + name +
            "\",\"features\":" + features() + "}],\"add_edges\":[";
    const auto first =
        static_cast<int64_t>(random_() % static_cast<uint64_t>(load_.nodes));
    for (int64_t e = 0; e < load_.edges; ++e) {
      const int64_t other =
          load_.near > 0
              ? (first + static_cast<int64_t>(
                             random_() % static_cast<uint64_t>(load_.near))) %
                    load_.nodes
              : static_cast<int64_t>(random_() %
                                     static_cast<uint64_t>(load_.nodes));
      body +=
          (e > 0 ? ",[\"" : "[\"") + name + "\"," + std::to_string(other) + "]";
    }
    return body + "]}";
  }

  const Load& load_;
  std::mt19937_64 random_;
  std::string prefix_;
  int64_t count_ = 0, nodes_ = 0;
};

std::string value_of(const std::string& metrics, const std::string& name) {
  const size_t at = metrics.find("\n" + name + " ");
  if (at == std::string::npos) return "-";
  const size_t begin = at + name.size() + 2;
  return metrics.substr(begin, metrics.find('\n', begin) - begin);
}

void ask_loop(const Load& load, double rate, Seen& seen,
              const std::function<std::string()>& next) {
  auto connection = std::make_unique<Connection>(load.port);
  Pace pace(load, rate);
  while (pace.next()) {
    // The server closes connections that are idle for seconds.
    if (rate < 1) connection = std::make_unique<Connection>(load.port);
    const std::string request = next();
    const auto begin = LoadClock::now();
    const int status = connection->ask(request);
    seen.add(status, seconds_after(begin));
    if (status == 0) return;
  }
}

void sample_loop(const Load& load) {
  Pace pace(load, 1.0 / static_cast<double>(load.sample));
  const auto start = LoadClock::now();
  std::printf(
      "seconds memory_MB nodes version behind compactions rows_given_up "
      "longest_change longest_flush\n");
  do {
    Connection connection(load.port);
    if (connection.ask(get(load, "/metrics")) != 200) return;
    const std::string& said = connection.answer();
    std::printf("%.0f %.1f", seconds_after(start),
                std::stod(value_of(said, "ognn_memory_bytes")) / 1e6);
    for (const char* name :
         {"nodes", "version", "changes_to_compute", "compactions_total",
          "rows_given_up_total", "change_seconds_longest",
          "log_flush_seconds_longest"}) {
      std::printf(" %s", value_of(said, std::string("ognn_") + name).c_str());
    }
    std::printf("\n");
    std::fflush(stdout);
  } while (pace.next());
}

}  // namespace

void load_mixed(const Load& load) {
  const auto start = LoadClock::now();
  std::vector<Seen> predicted(static_cast<size_t>(load.connections));
  Seen changed, looked, explained;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < predicted.size(); ++t) {
    threads.emplace_back([&, t] {
      std::mt19937_64 random(t + 1);
      ask_loop(load, load.rate / static_cast<double>(load.connections),
               predicted[t], [&] {
                 return post(load, "/v1/predict",
                             prediction_body(load, random));
               });
    });
  }
  threads.emplace_back([&] {
    Changer changer(load);
    ask_loop(load, load.change_rate, changed,
             [&] { return post(load, "/v1/graph", changer.next()); });
  });
  threads.emplace_back([&] {
    std::mt19937_64 random(5);
    ask_loop(load, 1, looked, [&] {
      return get(load, "/v1/nodes/" +
                           std::to_string(random() %
                                          static_cast<uint64_t>(load.nodes)));
    });
  });
  if (load.explain > 0) {
    threads.emplace_back([&] {
      std::mt19937_64 random(6);
      ask_loop(load, 1.0 / static_cast<double>(load.explain), explained, [&] {
        return post(
            load, "/v1/explain",
            "{\"id\":" +
                std::to_string(random() % static_cast<uint64_t>(load.nodes)) +
                ",\"removals\":2}");
      });
    });
  }
  if (load.sample > 0) threads.emplace_back([&] { sample_loop(load); });
  for (std::thread& thread : threads) thread.join();
  const double seconds = seconds_after(start);
  Seen all;
  for (const Seen& one : predicted) all.add(one);
  report("predictions", all, seconds, load.batch);
  report("changes", changed, seconds, 1);
  report("looks at a node", looked, seconds, 1);
  report("explanations", explained, seconds, 1);
}
