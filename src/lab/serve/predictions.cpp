#include "lab/serve/predictions.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/io/json_numbers.h"
#include "core/names.h"
#include "lab/serve/change_json.h"
#include "lab/serve/json_text.h"
#include "ordered_gnn/explain/gate_statistics.h"
#include "ordered_gnn/explain/hop_shares.h"

namespace ordered_gnn::lab {
namespace {

using data::FieldError;

// Neighbours that the answer about one node names.
constexpr size_t kMostListed = 100;

const std::vector<std::string> kPredictionKeys = {
    "ids", "top", "probabilities", "logits", "embedding", "hop_shares"};

bool flag_of(const Json& body, const char* key) {
  const auto found = body.find(key);
  if (found == body.end()) return false;
  if (!found->is_boolean()) throw FieldError(key, "expected true or false");
  return found->get<bool>();
}

std::vector<size_t> likeliest(const float* probability, size_t classes,
                              size_t count) {
  std::vector<size_t> order(classes);
  std::iota(order.begin(), order.end(), size_t{0});
  std::partial_sort(order.begin(),
                    order.begin() + static_cast<std::ptrdiff_t>(count),
                    order.end(), [&](size_t a, size_t b) {
                      return probability[a] != probability[b]
                                 ? probability[a] > probability[b]
                                 : a < b;
                    });
  order.resize(count);
  return order;
}

// Shares of the neurons that every hop owns, [rows, K + 1].
at::Tensor shares_of(const ServedVersion& version,
                     const std::vector<int64_t>& rows) {
  std::vector<at::Tensor> splits;
  int64_t width = 0;
  for (const training::LiveStates::Layer& layer : version.states.layers) {
    width = layer.h.width();
    if (layer.gate.width() == 0) continue;
    splits.push_back(
        expected_splits(layer.gate.gathered(rows), width / layer.gate.width()));
  }
  if (splits.empty()) {
    throw FieldError("hop_shares",
                     "this model keeps no gates to count shares of hops from");
  }
  return hop_shares(splits, width).contiguous();
}

// Writes what is said of rows.
class PredictionWriter {
 public:
  PredictionWriter(const ServedVersion& version,
                   const PredictionRequest& request,
                   const std::vector<int64_t>& rows)
      : version_(version), request_(request), rows_(rows) {
    if (request.embedding && version.states.last().width() == 0) {
      throw FieldError("embedding", "this model gives no embeddings");
    }
    if (request.hop_shares) shares_ = shares_of(version, rows);
  }

  // The members of an object, without its braces.
  void append(std::string& out, size_t at) const {
    const int64_t row = rows_[at];
    const float* const logit = version_.states.logits.row(row);
    const float* const probability = version_.states.probabilities.row(row);
    const auto classes = static_cast<size_t>(version_.states.logits.width());
    const auto best =
        static_cast<size_t>(std::max_element(logit, logit + classes) - logit);
    out += "\"label\":";
    append_json_text(out, version_.model->class_names[best]);
    out += ",\"confidence\":";
    append_json_number(out, probability[best]);
    if (request_.top > 0) append_top(out, probability, classes);
    if (request_.probabilities) {
      append_values(out, "probabilities", probability, classes);
    }
    if (request_.logits) append_values(out, "logits", logit, classes);
    if (request_.embedding) {
      const core::RowTable& last = version_.states.last();
      append_values(out, "embedding", last.row(row),
                    static_cast<size_t>(last.width()));
    }
    if (request_.hop_shares) {
      const auto hops = static_cast<size_t>(shares_.size(1));
      append_values(out, "hop_shares", shares_.data_ptr<double>() + at * hops,
                    hops);
    }
  }

 private:
  void append_top(std::string& out, const float* probability,
                  size_t classes) const {
    out += ",\"top\":";
    const std::vector<size_t> order =
        likeliest(probability, classes, static_cast<size_t>(request_.top));
    append_json_list(out, order.size(), [&](size_t i) {
      out += "{\"label\":";
      append_json_text(out, version_.model->class_names[order[i]]);
      out += ",\"probability\":";
      append_json_number(out, probability[order[i]]);
      out += '}';
    });
  }
  template <typename Value>
  static void append_values(std::string& out, const char* name,
                            const Value* values, size_t count) {
    out += fmt::format(",\"{}\":", name);
    append_json_list(out, count,
                     [&](size_t i) { append_json_number(out, values[i]); });
  }

  const ServedVersion& version_;
  const PredictionRequest& request_;
  const std::vector<int64_t>& rows_;
  at::Tensor shares_;
};

std::string answer_start(const ServedVersion& version) {
  return fmt::format("{{\"version\":{},\"model\":\"{}\",", version.sequence,
                     version.model->fingerprint);
}

void append_neighbours(std::string& out, const char* name,
                       const core::ListTable::Row& list,
                       const data::LiveGraph& graph) {
  const auto count = static_cast<size_t>(list.size());
  out += fmt::format(",\"num_{0}\":{1},\"{0}\":", name, count);
  append_json_list(out, std::min(count, kMostListed), [&](size_t i) {
    append_json_text(out, graph.name_of(list.begin[i]));
  });
}

}  // namespace

PredictionRequest prediction_request(const Json& body, int64_t max_nodes,
                                     int64_t num_classes) {
  if (!body.is_object()) throw FieldError("", "expected an object");
  for (const auto& [key, value] : body.items()) {
    if (std::find(kPredictionKeys.begin(), kPredictionKeys.end(), key) ==
        kPredictionKeys.end()) {
      throw FieldError(key,
                       core::unknown_name_message("key", key, kPredictionKeys));
    }
  }
  const auto ids = body.find("ids");
  if (ids == body.end() || !ids->is_array() || ids->empty()) {
    throw FieldError("ids", "expected a list of at least one id");
  }
  if (static_cast<int64_t>(ids->size()) > max_nodes) {
    throw FieldError("ids", fmt::format("{} ids are more than {}; make "
                                        "several requests",
                                        ids->size(), max_nodes));
  }
  PredictionRequest out;
  for (size_t i = 0; i < ids->size(); ++i) {
    out.ids.push_back(id_from_json((*ids)[i], fmt::format("ids[{}]", i)));
  }
  if (body.contains("top")) {
    if (!core::is_whole_number(body["top"], 0, core::kMostWhole)) {
      throw FieldError("top", "expected a whole number, 0 or more");
    }
    out.top = std::min(body["top"].get<int64_t>(), num_classes);
  }
  out.probabilities = flag_of(body, "probabilities");
  out.logits = flag_of(body, "logits");
  out.embedding = flag_of(body, "embedding");
  out.hop_shares = flag_of(body, "hop_shares");
  return out;
}

std::string predictions_json(const ServedVersion& version,
                             const PredictionRequest& request) {
  std::vector<int64_t> rows;
  rows.reserve(request.ids.size());
  for (size_t i = 0; i < request.ids.size(); ++i) {
    rows.push_back(version.graph.find(request.ids[i]));
    if (rows.back() >= 0) continue;
    throw UnknownNode(fmt::format("ids[{}]", i),
                      fmt::format("there is no node '{}'", request.ids[i]));
  }
  const PredictionWriter writer(version, request, rows);
  std::string out = answer_start(version) + "\"predictions\":";
  append_json_list(out, rows.size(), [&](size_t i) {
    out += "{\"id\":";
    append_json_text(out, request.ids[i]);
    out += ',';
    writer.append(out, i);
    out += '}';
  });
  return out + "}\n";
}

std::string node_json(const ServedVersion& version, const std::string& id) {
  const data::LiveGraph& graph = version.graph;
  const int64_t row = graph.find(id);
  if (row < 0) {
    throw UnknownNode("id", fmt::format("there is no node '{}'", id));
  }
  PredictionRequest request;
  request.probabilities = true;
  request.hop_shares = !version.states.layers.empty() &&
                       version.states.layers.back().gate.width() > 0;
  const std::vector<int64_t> rows = {row};
  std::string out = answer_start(version) + "\"id\":";
  append_json_text(out, id);
  out += ",\"known_label\":";
  const int64_t label = graph.label(row);
  if (label < 0) {
    out += "null";
  } else {
    append_json_text(out,
                     version.model->class_names[static_cast<size_t>(label)]);
  }
  out += ",\"prediction\":{";
  PredictionWriter(version, request, rows).append(out, 0);
  out += '}';
  append_neighbours(out, "senders", graph.in().row(row), graph);
  append_neighbours(out, "receivers", graph.out().row(row), graph);
  return out + "}\n";
}

}  // namespace ordered_gnn::lab
