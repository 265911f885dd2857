#include "lab/serve/change_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/json_numbers.h"
#include "core/names.h"
#include "data/class_names.h"
#include "lab/serve/feature_json.h"

namespace ordered_gnn::lab {
namespace {

using data::FieldError;
using data::GraphChange;

const std::vector<std::string> kLists = {"remove_edges", "remove_nodes",
                                         "add_nodes",    "add_edges",
                                         "set_features", "set_labels"};

std::string indexed(const char* list, size_t at) {
  return fmt::format("{}[{}]", list, at);
}

void require_keys(const Json& object, const std::vector<std::string>& known,
                  const std::string& field) {
  if (!object.is_object()) throw FieldError(field, "expected an object");
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    throw FieldError(field.empty() ? key : field + "." + key,
                     core::unknown_name_message("key", key, known));
  }
}

// Calls body(item, field) for every item of a list that may be missing.
template <typename Body>
void for_each_item(const Json& body, const char* list, const Body& call) {
  const auto found = body.find(list);
  if (found == body.end()) return;
  if (!found->is_array()) throw FieldError(list, "expected a list");
  for (size_t i = 0; i < found->size(); ++i) {
    call((*found)[i], indexed(list, i));
  }
}

float weight_from_json(const Json& weight, const std::string& field) {
  if (weight.is_number()) {
    const auto value = static_cast<float>(weight.get<double>());
    if (std::isfinite(value) && value >= 0) return value;
  }
  throw FieldError(field, "a weight is a finite number, 0 or more, of 32 bits");
}

GraphChange::Edge edge_from_json(const Json& edge, const std::string& field) {
  if (edge.is_array() && edge.size() == 2) {
    return {id_from_json(edge[0], field + "[0]"),
            id_from_json(edge[1], field + "[1]")};
  }
  if (!edge.is_object()) {
    throw FieldError(field,
                     "an edge is [source, target], or an object of source, "
                     "target and weight");
  }
  require_keys(edge, {"source", "target", "weight"}, field);
  for (const char* key : {"source", "target"}) {
    if (!edge.contains(key)) {
      throw FieldError(field + "." + key, "this key is missing");
    }
  }
  GraphChange::Edge out{id_from_json(edge["source"], field + ".source"),
                        id_from_json(edge["target"], field + ".target")};
  if (edge.contains("weight")) {
    out.weight = weight_from_json(edge["weight"], field + ".weight");
  }
  return out;
}

int64_t label_from_json(const Json& label, const data::LiveGraph& graph,
                        const std::string& field) {
  if (label.is_null()) return -1;
  const int64_t classes = graph.num_classes();
  if (core::is_whole_number(label, -1, classes - 1)) {
    return label.get<int64_t>();
  }
  if (!label.is_string()) {
    throw FieldError(
        field, fmt::format("a label is the name of a class, a number from 0 "
                           "to {}, or null",
                           classes - 1));
  }
  const std::vector<std::string> names =
      data::all_class_names(graph.class_names(), classes);
  const auto name = label.get<std::string>();
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) {
    throw FieldError(field, core::unknown_name_message("class", name, names));
  }
  return found - names.begin();
}

std::string required_id(const Json& object, const std::string& field) {
  if (!object.contains("id")) {
    throw FieldError(field + ".id", "this key is missing");
  }
  return id_from_json(object["id"], field + ".id");
}

void read_nodes(const Json& body, const data::LiveGraph& graph,
                GraphChange& out) {
  for_each_item(
      body, "add_nodes", [&](const Json& item, const std::string& field) {
        require_keys(item, {"id", "features", "columns", "sparse", "label"},
                     field);
        GraphChange::NewNode node;
        if (item.contains("id")) node.name = required_id(item, field);
        node.features = features_from_json(item, graph, field);
        if (item.contains("label")) {
          node.label = label_from_json(item["label"], graph, field + ".label");
        }
        out.add_nodes.push_back(std::move(node));
      });
  for_each_item(
      body, "set_features", [&](const Json& item, const std::string& field) {
        require_keys(item, {"id", "features", "columns", "sparse"}, field);
        out.set_features.push_back(
            {required_id(item, field), features_from_json(item, graph, field)});
      });
  for_each_item(
      body, "set_labels", [&](const Json& item, const std::string& field) {
        require_keys(item, {"id", "label"}, field);
        if (!item.contains("label")) {
          throw FieldError(field + ".label", "this key is missing");
        }
        out.set_labels.push_back(
            {required_id(item, field),
             label_from_json(item["label"], graph, field + ".label")});
      });
}

Json numbers_json(const std::vector<float>& values) {
  Json out = Json::array();
  for (const float value : values) out.push_back(static_cast<double>(value));
  return out;
}

Json edges_json(const std::vector<GraphChange::Edge>& edges) {
  Json out = Json::array();
  for (const GraphChange::Edge& edge : edges) {
    if (edge.weight) {
      out.push_back({{"source", edge.first},
                     {"target", edge.second},
                     {"weight", static_cast<double>(*edge.weight)}});
    } else {
      out.push_back(Json::array({edge.first, edge.second}));
    }
  }
  return out;
}

}  // namespace

std::string id_from_json(const Json& id, const std::string& field) {
  if (core::is_whole_number(id)) return std::to_string(id.get<int64_t>());
  if (!id.is_string()) {
    throw FieldError(field, "an id is a text or a whole number");
  }
  auto text = id.get<std::string>();
  if (text.empty()) throw FieldError(field, "an id is not empty");
  return text;
}

GraphChange change_from_json(const Json& body, const data::LiveGraph& graph,
                             const std::vector<std::string>& also) {
  std::vector<std::string> known = kLists;
  known.insert(known.end(), also.begin(), also.end());
  require_keys(body, known, "");
  GraphChange out;
  for_each_item(body, "remove_edges",
                [&](const Json& item, const std::string& field) {
                  out.remove_edges.push_back(edge_from_json(item, field));
                  if (!out.remove_edges.back().weight) return;
                  throw FieldError(
                      field + ".weight",
                      "an edge is removed whatever its weight; leave it out");
                });
  for_each_item(body, "remove_nodes",
                [&](const Json& item, const std::string& field) {
                  out.remove_nodes.push_back(id_from_json(item, field));
                });
  for_each_item(body, "add_edges",
                [&](const Json& item, const std::string& field) {
                  out.add_edges.push_back(edge_from_json(item, field));
                });
  read_nodes(body, graph, out);
  if (out.empty()) {
    throw FieldError(
        "", "the change is empty; it has none of " + core::listed(kLists));
  }
  return out;
}

Json to_json(const GraphChange& change) {
  Json out = Json::object();
  if (!change.remove_edges.empty()) {
    out["remove_edges"] = edges_json(change.remove_edges);
  }
  if (!change.remove_nodes.empty()) out["remove_nodes"] = change.remove_nodes;
  for (const GraphChange::NewNode& node : change.add_nodes) {
    out["add_nodes"].push_back({{"id", node.name},
                                {"features", numbers_json(node.features)},
                                {"label", node.label}});
  }
  if (!change.add_edges.empty()) {
    out["add_edges"] = edges_json(change.add_edges);
  }
  for (const GraphChange::NewFeatures& one : change.set_features) {
    out["set_features"].push_back(
        {{"id", one.name}, {"features", numbers_json(one.features)}});
  }
  for (const GraphChange::NewLabel& one : change.set_labels) {
    out["set_labels"].push_back({{"id", one.name}, {"label", one.label}});
  }
  return out;
}

}  // namespace ordered_gnn::lab
