#include "lab/serve/problem.h"

#include <map>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

std::string status_title(int status) {
  static const std::map<int, std::string> titles = {
      {400, "Bad Request"},
      {401, "Unauthorized"},
      {404, "Not Found"},
      {405, "Method Not Allowed"},
      {408, "Request Timeout"},
      {409, "Conflict"},
      {413, "Content Too Large"},
      {414, "URI Too Long"},
      {415, "Unsupported Media Type"},
      {421, "Misdirected Request"},
      {422, "Unprocessable Content"},
      {431, "Request Header Fields Too Large"},
      {500, "Internal Server Error"},
      {501, "Not Implemented"},
      {503, "Service Unavailable"},
      {507, "Insufficient Storage"},
  };
  const auto found = titles.find(status);
  return found == titles.end() ? "Error" : found->second;
}

HttpReply problem(int status, const std::string& detail,
                  const std::string& field) {
  Json json = {{"type", "about:blank"},
               {"title", status_title(status)},
               {"status", status},
               {"detail", detail}};
  if (!field.empty()) json["field"] = field;
  HttpReply out;
  out.status = status;
  out.content_type = "application/problem+json";
  out.body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (status == 503) out.headers["Retry-After"] = "1";
  return out;
}

}  // namespace ordered_gnn::lab
