#include "data/treatment_json.h"

#include <nlohmann/json.hpp>

namespace ordered_gnn::data {

nlohmann::ordered_json treatment_json(const Treatment& treatment) {
  return {{"direction", to_string(treatment.direction)},
          {"self_loops", to_string(treatment.self_loops)},
          {"features", to_string(treatment.features)}};
}

Treatment treatment_from_json(const nlohmann::json& values) {
  const auto text = [&](const char* key) {
    return values.at(key).get<std::string>();
  };
  Treatment treatment;
  treatment.direction = parse_direction(text("direction"));
  treatment.self_loops = parse_self_loops(text("self_loops"));
  treatment.features = parse_feature_treatment(text("features"));
  return treatment;
}

}  // namespace ordered_gnn::data
