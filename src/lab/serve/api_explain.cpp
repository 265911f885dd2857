#include <fmt/format.h>

#include <algorithm>

#include "core/io/json_numbers.h"
#include "core/names.h"
#include "lab/page/explanation_json.h"
#include "lab/page/explanation_page.h"
#include "lab/page/node_section.h"
#include "lab/serve/api.h"
#include "lab/serve/change_json.h"
#include "lab/serve/predictions.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

const std::vector<std::string> kExplainKeys = {"id", "removals"};
constexpr int64_t kMostRemovals = 64;
constexpr int64_t kMostPageBytes = 4000000;

struct ExplainRequest {
  std::string id;
  int64_t removals = 8;
};

ExplainRequest explain_request(const Json& body) {
  if (!body.is_object()) throw data::FieldError("", "expected an object");
  for (const auto& [key, value] : body.items()) {
    if (std::find(kExplainKeys.begin(), kExplainKeys.end(), key) ==
        kExplainKeys.end()) {
      throw data::FieldError(
          key, core::unknown_name_message("key", key, kExplainKeys));
    }
  }
  if (!body.contains("id")) {
    throw data::FieldError("id", "this key is missing");
  }
  ExplainRequest out;
  out.id = id_from_json(body["id"], "id");
  if (!body.contains("removals")) return out;
  if (!core::is_whole_number(body["removals"], 0, kMostRemovals)) {
    throw data::FieldError(
        "removals",
        fmt::format("expected a whole number from 0 to {}", kMostRemovals));
  }
  out.removals = body["removals"].get<int64_t>();
  return out;
}

// Nodes by their names: numbers mean nothing to who asks.
void name_nodes(const ExplainedModel& model, Json& explanation) {
  const auto name = [&](Json& entry) {
    entry["id"] = node_title(model, entry["node"].get<int64_t>());
    entry.erase("node");
    entry.erase("name");
  };
  name(explanation);
  for (const char* list : {"tree", "influences"}) {
    for (Json& entry : explanation[list]) name(entry);
  }
}

// Waits for the turn of a request among those that compute much.
std::unique_lock<std::timed_mutex> turn(std::timed_mutex& mutex,
                                        std::chrono::milliseconds most) {
  std::unique_lock<std::timed_mutex> lock(mutex, most);
  if (lock.owns_lock()) return lock;
  throw ServiceError(503, "other explanations are being computed; try again");
}

}  // namespace

HttpReply Api::explain(const Json& body) {
  const ExplainRequest request = explain_request(body);
  const auto lock = turn(explaining_, settings_.max_wait);
  const auto version = service_.explained();
  const int64_t row = version->graph.find(request.id);
  if (row < 0) {
    throw UnknownNode("id", fmt::format("there is no node '{}'", request.id));
  }
  const int64_t node =
      std::lower_bound(version->rows.begin(), version->rows.end(), row) -
      version->rows.begin();
  const training::LiveModel& model = version->model->model;
  const ThreadScope threads(model.options().execution.threads);
  NodeExplanationOptions options;
  options.max_removals = request.removals;
  options.max_edge_visits = settings_.max_explain_visits;
  const NodeExplanation explanation =
      explain_node(*model.trained().model, version->dataset,
                   version->explained.graph.nodes, node, options);
  Json json = to_json(version->explained, explanation);
  name_nodes(version->explained, json);
  json["version"] = version->sequence;
  json["model"] = version->model->fingerprint;
  json["classes"] = version->model->class_names;
  return {200, "application/json",
          json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

HttpReply Api::page() {
  const auto lock = turn(explaining_, settings_.max_wait);
  const auto version = service_.explained();
  if (page_of_.lock() != version) {
    Page page;
    page.title = "Nodes of " + version->graph.name();
    page.subtitle =
        fmt::format("{} of {} nodes and {} messages, after {} changes",
                    version->model->model.trained().options.model,
                    version->graph.num_nodes(), version->graph.num_edges(),
                    version->sequence);
    page.made_by = fmt::format("ognn {} ({})", kVersion, kCommit);
    page.max_bytes = kMostPageBytes;
    page.nodes = explanation_browser(version->explained);
    page.sections.push_back(node_section(version->explained));
    page_ = html_page(page);
    page_of_ = version;
  }
  HttpReply out{200, "text/html; charset=utf-8", page_};
  // All of the page is in it: scripts and styles of its own, nothing else.
  out.headers["Content-Security-Policy"] =
      "default-src 'none'; script-src 'unsafe-inline'; style-src "
      "'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'";
  return out;
}

}  // namespace ordered_gnn::lab
