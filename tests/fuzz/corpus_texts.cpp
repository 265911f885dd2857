#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/io/file.h"
#include "fuzz/corpus.h"
#include "fuzz/parts.h"
#include "lab/runs/recipes.h"
#include "lab/serve/change_log.h"
#include "ordered_gnn/core/options.h"

namespace fs = std::filesystem;
namespace ordered_gnn {
using namespace fuzz;

namespace {

void write_recipe_seeds(const fs::path& out) {
  const std::string whole =
      R"({"data": "texas", "model": "gcn", "layers": 2, "splits": "all"})";
  core::write_file(seed_of(out, "recipe", "whole"),
                   join_parts({{"recipe.json", whole}}));
  core::write_file(
      seed_of(out, "recipe", "based"),
      join_parts(
          {{"recipe.json",
            R"({"//": "x", "base": "a/b.json", "lr": null, "l2_xi": 0})"},
           {"a/b.json", R"({"base": "../c.json", "lr": 0.1})"},
           {"c.json", whole}}));
  for (const lab::BuiltinRecipeFile& file : lab::builtin_recipe_files()) {
    if (file.text.size() > kMostSeedBytes / 8) continue;
    std::string name = file.name;
    std::replace(name.begin(), name.end(), '/', '_');
    const bool is_search = file.name.rfind("search/", 0) == 0;
    const bool is_family = file.text.find("\"for\"") != std::string::npos;
    // What names another file would need it beside.
    const bool is_based = file.text.find("\"base\"") != std::string::npos;
    if (is_based || (is_search && is_family)) continue;
    const char* const part = is_search   ? "sweep.json"
                             : is_family ? "family.json"
                                         : "recipe.json";
    core::write_file(seed_of(out, is_search ? "sweep" : "recipe", name),
                     join_parts({{part, file.text}}));
  }
  core::write_file(
      seed_of(out, "sweep", "every_form"),
      join_parts({{"sweep.json",
                   R"({"base": "base.json", "method": "random", "trials": 3,
                "fixed": {"epochs": 5}, "seeds": [1, 2],
                "each": {"drop-edge": [0, 0.5]},
                "search": {"lr": {"min": 1e-4, "max": 0.1, "scale": "log"},
                           "layers": {"min": 2, "max": 8, "step": 2},
                           "dropout-theta+dropout-xi": [[0, 0], [0.1, 0.2]]}})"},
                  {"base.json", whole}}));
}

void write_command_seeds(const fs::path& out) {
  const std::vector<std::pair<std::string, std::string>> lines = {
      {"train", "train\n--data\ntexas\n--splits\n0,3,5-7\n--lr=1e-3\n--quiet"},
      {"flags", "train\n--config\ntable2/texas\n--tied-gates=false\n--resume"},
      {"predict", "predict\n--checkpoint\nm.safetensors\n--data\ng.npz"},
      {"compare", "compare\n--data\ntexas\n--models\ngcn,mlp\n--seeds\n42,43"},
      {"generate", "data\ngenerate\ncsbm?nodes=9&classes=2\n--out\ng.npz"},
      {"splits", "train\n--split-set\nstratified:60/20/20x5"},
      {"help", "help\ndata\ninfo"},
  };
  for (const auto& [name, text] : lines) {
    core::write_file(seed_of(out, "command_line", name), text);
  }
}

void write_page_seeds(const fs::path& out) {
  const Json about = {{"label", {0, 1, -1}},
                      {"predicted", {1, 1, 0}},
                      {"confidence", {0.5, 1, 0}},
                      {"homophily", {0.25, 1e300, 0}},
                      {"degree", {1, 300, 0}},
                      {"part", {0, 1, 3}},
                      {"shares", {0.5, 0.5, 1, 0, 0.25, 0.75}},
                      {"edges", {0, 1, 1, 0, 2, 2, 1, 2}},
                      {"details", {{{"node", 1}, {"text", "a </script> b"}}}}};
  const std::string text = about.dump();
  core::write_file(seed_of(out, "node_data", "three"),
                   join_parts({{"about", text},
                               {"classes", "cat\ndog <b>"},
                               {"names", "ann\n</script>\n\xff\xfe"}}));
}

void write_serve_seeds(const fs::path& out) {
  const std::string change =
      R"({"remove_edges": [["a", "b"]], "remove_nodes": ["c"],
          "add_nodes": [{"id": "n", "columns": {"age": 3, "kind": "x"},
                         "label": "cat"},
                        {"id": 7, "features": [1, 0.5, 0], "label": null},
                        {"id": "s", "sparse": {"indices": [2],
                                               "values": [1e-3]}}],
          "add_edges": [["n", 7], {"source": "a", "target": "n"}],
          "wait": true,
          "set_features": [{"id": "a", "features": [0, 1, 2]}],
          "set_labels": [{"id": "a", "label": 1}]})";
  core::write_file(seed_of(out, "request", "change"),
                   join_parts({{"change.json", change}}));
  core::write_file(seed_of(out, "request", "weighted"),
                   join_parts({{"weighted.json",
                                R"({"add_edges": [{"source": "a", "target": "c",
                                      "weight": 2.5}, ["c", "b"]],
                       "remove_edges": [["a", "b"]]})"}}));
  core::write_file(
      seed_of(out, "request", "predict"),
      join_parts(
          {{"predict.json",
            R"({"ids": ["a", "b"], "top": 2, "probabilities": true})"}}));
  core::write_file(
      seed_of(out, "change_log", "three"),
      lab::log_start({2, "base", {{"name", "g.npz"}}}) +
          lab::encoded({3, R"({"remove_nodes": ["a"]})"}) +
          lab::encoded({4, R"({"add_edges": [["b", "c"]]})"}) +
          lab::encoded({5, R"({"set_labels": [{"id": "b", "label": 0}]})"}));
  core::write_file(
      seed_of(out, "state_folder", "three"),
      join_parts({{"changes",
                   "{\"add_nodes\":[{\"id\":\"n\",\"features\":[1,0,2],"
                   "\"label\":1}],\"add_edges\":[[\"n\",3]]}\n"
                   "{\"remove_nodes\":[\"5\"]}\n"
                   "{\"set_features\":[{\"id\":\"n\",\"features\":[0,1,0]}]}"},
                  {"graph-000000000007.npz", "left by a kill"}}));
}

std::string request_text(const std::string& line, const std::string& body) {
  return line +
         " HTTP/1.1\r\nHost: localhost\r\n"
         "Authorization: Bearer 0123456789abcdef\r\n" +
         (body.empty() ? std::string()
                       : fmt::format("Content-Type: application/json\r\n"
                                     "Content-Length: {}\r\n",
                                     body.size())) +
         "\r\n" + body;
}

// A request of every route, and what requests can be made of.
void write_connection_seeds(const fs::path& out) {
  const auto write = [&](const char* name, const std::string& text) {
    core::write_file(seed_of(out, "connection", name), text);
  };
  const auto post = [](const char* path, const char* body) {
    return request_text(std::string("POST ") + path, body);
  };
  write("predict", post("/v1/predict", R"({"ids": [0, "3"], "top": 2,
        "embedding": true, "hop_shares": true, "logits": true})"));
  write("change", post("/v1/graph",
                       R"({"add_nodes": [{"id": "n", "features": [1, 0, 2]}],
        "add_edges": [["n", 4], [2, "n"]], "remove_nodes": [7],
        "set_labels": [{"id": 3, "label": 1}], "wait": true})"));
  write("explain", post("/v1/explain", R"({"id": 2, "removals": 1})"));
  write("reload", request_text("PUT /v1/model", "{}"));
  for (const char* path : {"/v1/model", "/metrics?x=1", "/openapi.json",
                           "/v1/nodes/11?a=b&c=%20?d", "/healthz", "/readyz"}) {
    std::string name = path;
    std::replace(name.begin(), name.end(), '/', '-');
    write(name.substr(0, name.find('?')).c_str(),
          request_text(std::string("GET ") + path, ""));
  }
  write("page",
        "GET / HTTP/1.0\r\nAuthorization: Basic dTowMTIzNDU2Nzg5YWJjZGVm\r\n"
        "Accept-Encoding: gzip\r\n\r\n");
  write("head", "HEAD /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  write("chunks",
        "POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nAuthorization: "
        "Bearer 0123456789abcdef\r\nContent-Type: application/json\r\n"
        "Expect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n"
        "6\r\n{\"ids\"\r\n6;a=b\r\n:[\"1\"]\r\n1\r\n}\r\n0\r\nA: b\r\n\r\n");
  write("several", request_text("GET /readyz", "") +
                       post("/v1/graph", R"({"remove_nodes": [5]})") +
                       request_text("GET /v1/model", "") +
                       post("/v1/predict", R"({"ids": [1]})"));
}

}  // namespace

void fuzz::write_text_seeds(const fs::path& out) {
  write_recipe_seeds(out);
  write_command_seeds(out);
  write_page_seeds(out);
  write_serve_seeds(out);
  write_connection_seeds(out);
}

}  // namespace ordered_gnn
