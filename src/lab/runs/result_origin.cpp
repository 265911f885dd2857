#include "lab/runs/result_origin.h"

namespace ordered_gnn::lab {

Json origin_json(const ResultOrigin& origin) {
  return {{"device", origin.device},   {"math", origin.math},
          {"machine", origin.machine}, {"command", origin.command},
          {"version", origin.version}, {"commit", origin.commit}};
}

ResultOrigin origin_from_json(const Json& json) {
  ResultOrigin origin;
  json.at("device").get_to(origin.device);
  json.at("math").get_to(origin.math);
  json.at("machine").get_to(origin.machine);
  json.at("command").get_to(origin.command);
  json.at("version").get_to(origin.version);
  json.at("commit").get_to(origin.commit);
  return origin;
}

}  // namespace ordered_gnn::lab
