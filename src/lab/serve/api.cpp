#include "lab/serve/api.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/affixes.h"
#include "core/io/json_reader.h"
#include "core/names.h"
#include "core/out_of_memory.h"
#include "lab/report/page_assets.h"
#include "lab/serve/json_text.h"
#include "lab/serve/predictions.h"
#include "lab/serve/problem.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kNodes = "/v1/nodes/";

// What can be asked, and how. A path that ends in a slash has more behind it.
struct Route {
  const char* path;
  const char* method;
  bool has_body;
  bool is_open;  // to those without a token
};
constexpr Route kRoutes[] = {
    {"/healthz", "GET", false, true},
    {"/readyz", "GET", false, true},
    {"/metrics", "GET", false, false},
    {"/openapi.json", "GET", false, false},
    {"/", "GET", false, false},
    {"/v1/model", "GET", false, false},
    {"/v1/model", "PUT", true, false},
    {kNodes, "GET", false, false},
    {"/v1/predict", "POST", true, false},
    {"/v1/explain", "POST", true, false},
    {"/v1/graph", "POST", true, false},
};

bool is_path_of(const Route& route, const std::string& path) {
  if (route.path == std::string_view(kNodes)) {
    return core::starts_with(path, kNodes) &&
           path.size() > std::string_view(kNodes).size();
  }
  return path == route.path;
}

bool is_method_of(const Route& route, const std::string& method) {
  return method == route.method ||
         (method == "HEAD" && std::string_view(route.method) == "GET");
}

const Route* find_route(const HttpCall& call) {
  for (const Route& route : kRoutes) {
    if (is_path_of(route, call.path) && is_method_of(route, call.method)) {
      return &route;
    }
  }
  return nullptr;
}

HttpReply no_route(const HttpCall& call) {
  std::string allowed;
  for (const Route& route : kRoutes) {
    if (!is_path_of(route, call.path)) continue;
    allowed += (allowed.empty() ? "" : ", ") + std::string(route.method);
  }
  if (allowed.empty()) {
    return problem(404, fmt::format("there is nothing at '{}'; see "
                                    "/openapi.json",
                                    call.path));
  }
  HttpReply out =
      problem(405, fmt::format("'{}' takes {}", call.path, allowed));
  out.headers["Allow"] = allowed;
  return out;
}

HttpReply misdirected(const HttpCall& call) {
  return problem(421, fmt::format("this server has no token and answers to an "
                                  "address or 'localhost', not to '{}'; let a "
                                  "proxy pass on the address as Host, or give "
                                  "--token-file",
                                  call.host));
}

HttpReply unauthorized(const HttpCall& call) {
  HttpReply out =
      problem(401, call.authorization.empty()
                       ? "a token is needed: Authorization: Bearer TOKEN"
                       : "this is not the token of this server");
  out.headers["WWW-Authenticate"] =
      call.path == "/" ? "Basic realm=\"ognn\"" : "Bearer realm=\"ognn\"";
  return out;
}

HttpReply body_problem(const HttpCall& call, int64_t max_body) {
  switch (call.body_state) {
    case HttpCall::Body::too_long:
      return problem(413, fmt::format("a body has at most {} bytes", max_body));
    case HttpCall::Body::timed_out:
      return problem(408, "the body did not arrive in time");
    default:
      return problem(400, "the body is cut: the connection ended within it");
  }
}

bool is_json_type(const std::string& type) {
  const std::string name = core::lower_case(type.substr(0, type.find(';')));
  return core::starts_with(name, "application/json");
}

double elapsed(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
      .count();
}

}  // namespace

bool Api::is_allowed(const HttpCall& call) const {
  const Route* const route = find_route(call);
  return (route != nullptr && route->is_open) ||
         (access_.allows(call.authorization) && access_.knows_host(call.host));
}

bool Api::takes_body(const HttpCall& call) const {
  const Route* const route = find_route(call);
  return !call.is_overload && route != nullptr && route->has_body &&
         is_allowed(call) && is_json_type(call.content_type);
}

HttpReply Api::answer(const HttpCall& call) {
  const auto start = std::chrono::steady_clock::now();
  std::string route = "other";
  HttpReply out;
  try {
    out = core::naming_activity("answering a request",
                                [&] { return dispatch(call, route); });
  } catch (const UnknownNode& error) {
    out = problem(404, error.what(), error.field());
  } catch (const data::FieldError& error) {
    out = problem(422, error.what(), error.field());
  } catch (const ServiceError& error) {
    out = problem(error.status(), error.what());
  } catch (const Error& error) {
    out = problem(503, error.what());
  } catch (const std::exception& error) {
    out = problem(500, error.what());
  }
  metrics_.count(route, out.status, elapsed(start));
  return out;
}

HttpReply Api::dispatch(const HttpCall& call, std::string& name) {
  if (call.is_overload) {
    return problem(503,
                   "there are as many connections as are allowed; try "
                   "again");
  }
  if (call.refused_status != 0) {
    return problem(call.refused_status, call.refused_because);
  }
  if (!is_allowed(call)) {
    return access_.knows_host(call.host) ? unauthorized(call)
                                         : misdirected(call);
  }
  const Route* const route = find_route(call);
  if (route == nullptr) return no_route(call);
  name = route->path;
  if (route->has_body) return answer_body(call, name);
  if (name == "/healthz") return {200, "text/plain", "ok\n"};
  if (name == "/readyz") return ready();
  if (name == "/metrics") {
    return {200, "text/plain; version=0.0.4", metrics_.text(service_)};
  }
  if (name == "/openapi.json") {
    return {200, "application/json", std::string(page_asset("openapi.json"))};
  }
  if (name == "/v1/model") return model();
  if (name == "/") return page();
  HttpReply out{200, "application/json",
                node_json(*service_.version(),
                          call.path.substr(std::string_view(kNodes).size()))};
  metrics_.count_predictions(1);
  return out;
}

HttpReply Api::answer_body(const HttpCall& call, const std::string& route) {
  if (!is_json_type(call.content_type)) {
    return problem(415, "a body is JSON: Content-Type: application/json");
  }
  if (call.body_state != HttpCall::Body::whole) {
    return body_problem(call, settings_.max_body);
  }
  core::JsonRules rules;
  rules.max_bytes = settings_.max_body;
  rules.unique_keys = true;
  Json body;
  try {
    body = call.body.empty() && route == "/v1/model"
               ? Json::object()
               : core::parse_json(call.body, "body", rules);
  } catch (const Error& error) {
    return problem(400, error.what());
  }
  if (route == "/v1/predict") return predict(body);
  if (route == "/v1/graph") return change(body);
  if (route == "/v1/explain") return explain(body);
  return load_model(body);
}

HttpReply Api::predict(const Json& body) {
  const auto version = service_.version();
  const PredictionRequest request = prediction_request(
      body, settings_.max_nodes,
      static_cast<int64_t>(version->model->class_names.size()));
  HttpReply out{200, "application/json", predictions_json(*version, request)};
  metrics_.count_predictions(static_cast<int64_t>(request.ids.size()));
  return out;
}

HttpReply Api::change(const Json& body) {
  const bool waits = body.is_object() && body.contains("wait");
  if (waits && !body["wait"].is_boolean()) {
    throw data::FieldError("wait", "expected true or false");
  }
  const auto version = service_.version();
  const Service::Accepted accepted =
      service_.change(change_from_json(body, version->graph, {"wait"}));
  const bool is_visible =
      waits && body["wait"].get<bool>()
          ? service_.wait_for(accepted.sequence, settings_.max_wait)
          : service_.version()->sequence >= accepted.sequence;
  std::string text = fmt::format("{{\"sequence\":{},\"visible\":{},\"ids\":",
                                 accepted.sequence, is_visible);
  const auto& added = accepted.change.add_nodes;
  append_json_list(text, added.size(),
                   [&](size_t i) { append_json_text(text, added[i].name); });
  return {is_visible ? 200 : 202, "application/json", text + "}\n"};
}

HttpReply Api::load_model(const Json& body) {
  if (!body.is_object() || !body.empty()) {
    throw data::FieldError(
        body.is_object() ? body.begin().key() : "",
        "this takes no settings: the file that the server was started with is "
        "read again");
  }
  try {
    service_.reload();
  } catch (const ServiceError&) {
    throw;
  } catch (const Error& error) {
    return problem(409, error.what());
  }
  return model();
}

HttpReply Api::model() const {
  const auto version = service_.version();
  const Trained& trained = version->model->model.trained();
  const Json json = {
      {"version", version->sequence},
      {"model", version->model->fingerprint},
      {"kind", trained.options.model},
      {"graph", version->graph.name()},
      {"nodes", version->graph.num_nodes()},
      {"messages", version->graph.num_edges()},
      {"classes", version->model->class_names},
      {"num_features", version->graph.num_features()},
      {"incremental",
       version->model->model.whole_because(version->graph).empty()},
      {"program", fmt::format("ognn {}", kVersion)}};
  return {200, "application/json",
          json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

HttpReply Api::ready() const {
  if (!is_ready_) return problem(503, "the server is stopping");
  return {200, "text/plain", "ready\n"};
}

}  // namespace ordered_gnn::lab
