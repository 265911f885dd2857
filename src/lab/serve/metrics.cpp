#include "lab/serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>

#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

template <typename Value>
void append_one(std::string& out, const char* name, const char* kind,
                const char* help, Value value) {
  out += fmt::format("# HELP ognn_{0} {1}\n# TYPE ognn_{0} {2}\nognn_{0} {3}\n",
                     name, help, kind, value);
}

void append_service(std::string& out, const Service& service) {
  const ServiceStatus status = service.status();
  const auto version = service.version();
  append_one(out, "nodes", "gauge", "Nodes of the version that answers.",
             version->graph.num_nodes());
  append_one(out, "messages", "gauge",
             "Messages between its nodes, loops among them.",
             version->graph.num_edges());
  append_one(out, "changes_acknowledged", "counter",
             "Changes that the graph has had, sequence number of the last.",
             status.sequence);
  append_one(out, "version", "gauge",
             "Sequence number of the last change that answers know.",
             status.visible);
  append_one(out, "changes_to_compute", "gauge",
             "Changes that are acknowledged and not yet in answers.",
             status.sequence - status.visible);
  append_one(out, "changes_queued", "gauge",
             "Changes that wait to be written to the log.", status.pending);
  append_one(out, "updates_total", "counter",
             "Versions that were computed after changes.", status.updates);
  append_one(out, "rows_computed_total", "counter",
             "Rows of nodes computed for them, in all layers.",
             status.rows_computed);
  append_one(out, "nodes_recomputed_total", "counter",
             "Nodes whose prediction they changed.", status.nodes_changed);
  append_one(out, "whole_layers_total", "counter",
             "Layers that were computed for all nodes.", status.whole_layers);
  append_one(out, "update_seconds_total", "counter",
             "Time that computing versions took.", status.update_seconds);
  append_one(out, "log_bytes", "gauge", "Size of the log of changes.",
             status.log_bytes);
  append_one(out, "compactions_total", "counter",
             "Times that the log was compacted into a graph.",
             status.compactions);
  append_one(out, "rows_given_up_total", "counter",
             "Rows of removed nodes whose memory was given up.",
             status.rows_given_up);
  append_one(out, "log_flush_seconds_total", "counter",
             "Time that flushing the log to the disk took.",
             status.flush_seconds);
  append_one(out, "log_flush_seconds_longest", "gauge",
             "The longest of these flushes.", status.longest_flush);
  append_one(out, "change_seconds_longest", "gauge",
             "Longest time from a change's arrival to its acknowledgement.",
             status.longest_change);
  append_one(out, "model_loads_total", "counter",
             "Models that took over from the first.", status.model_loads);
  append_one(out, "failing", "gauge",
             "1 while work in the background fails, 0 otherwise.",
             status.problem.empty() ? 0 : 1);
  append_one(out, "memory_bytes", "gauge", "Memory of the process in RAM.",
             resident_memory_bytes());
}

}  // namespace

void RequestMetrics::count(const std::string& route, int status,
                           double seconds) {
  const auto bucket = static_cast<size_t>(
      std::lower_bound(kBounds.begin(), kBounds.end(), seconds) -
      kBounds.begin());
  const std::lock_guard<std::mutex> lock(mutex_);
  ++requests_[{route, status}];
  Latency& latency = latencies_[route];
  ++latency.buckets[bucket];
  latency.sum += seconds;
}

void RequestMetrics::count_predictions(int64_t nodes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  predictions_ += nodes;
}

void RequestMetrics::append_requests(std::string& out) const {
  out +=
      "# HELP ognn_requests_total Requests that were answered.\n"
      "# TYPE ognn_requests_total counter\n";
  for (const auto& [key, count] : requests_) {
    out += fmt::format("ognn_requests_total{{route=\"{}\",status=\"{}\"}} {}\n",
                       key.first, key.second, count);
  }
  append_one(out, "predictions_total", "counter",
             "Predictions of nodes that were given.", predictions_);
}

void RequestMetrics::append_latencies(std::string& out) const {
  out +=
      "# HELP ognn_request_seconds Time from a whole request to its answer.\n"
      "# TYPE ognn_request_seconds histogram\n";
  for (const auto& [route, latency] : latencies_) {
    int64_t sum = 0;
    for (size_t b = 0; b < latency.buckets.size(); ++b) {
      sum += latency.buckets[b];
      out += fmt::format(
          "ognn_request_seconds_bucket{{route=\"{}\",le=\"{}\"}} {}\n", route,
          b < kBounds.size() ? fmt::format("{}", kBounds[b]) : "+Inf", sum);
    }
    out += fmt::format(
        "ognn_request_seconds_sum{{route=\"{0}\"}} {1}\n"
        "ognn_request_seconds_count{{route=\"{0}\"}} {2}\n",
        route, latency.sum, sum);
  }
}

std::string RequestMetrics::text(const Service& service) const {
  std::string out = fmt::format(
      "# HELP ognn_build_info The program.\n# TYPE ognn_build_info gauge\n"
      "ognn_build_info{{version=\"{}\"}} 1\n",
      kVersion);
  append_service(out, service);
  const std::lock_guard<std::mutex> lock(mutex_);
  append_requests(out);
  append_latencies(out);
  return out;
}

}  // namespace ordered_gnn::lab
