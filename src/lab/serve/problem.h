#pragma once
#include <string>

#include "lab/serve/http_call.h"

namespace ordered_gnn::lab {

/// An error as RFC 9457 has it: type, title, status, detail and, where a part
/// of the request is at fault, its field.
HttpReply problem(int status, const std::string& detail,
                  const std::string& field = "");

/// "Unprocessable Entity" of 422.
std::string status_title(int status);

}  // namespace ordered_gnn::lab
