#pragma once
#include <cstdint>
#include <string>

#include "lab/serve/http_call.h"

namespace ordered_gnn::lab {

class RequestStream;

/// Reads the body of the request whose head a stream has read.
/// @param most  bytes that it may have.
/// @param kept  where they go; null: nobody wants them.
HttpCall::Body read_body(RequestStream& stream, uint64_t most,
                         std::string* kept);

}  // namespace ordered_gnn::lab
