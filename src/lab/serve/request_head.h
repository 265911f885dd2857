#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ordered_gnn::lab {

/// The beginning of a request, from its first line to the empty one, that may
/// be read in one way only. What two readers could take for different requests
/// is refused: behind a proxy one of them would answer what the other has not
/// seen.
struct RequestHead {
  static constexpr size_t kMostLine = 8192;
  static constexpr size_t kMostBytes = 32768;
  static constexpr size_t kMostFields = 100;

  int status = 0;       ///< 0: it is fine; otherwise what refuses it,
  std::string problem;  ///< and why
  /// As it is passed on: without ranges, which no answer of ours has, and with
  /// '%' of values escaped, since cpp-httplib decodes these as if of a URL.
  std::string text;
  bool is_last = false;  ///< the client wants the connection to end
  bool has_length = false, is_chunked = false;  ///< how the body is framed
  uint64_t length = 0;
  bool has_body() const { return is_chunked || length > 0; }
};

/// @param head  all lines, each with its CR LF, the empty one too.
RequestHead checked_head(std::string_view head);

/// What refuses a request.
RequestHead refused_head(int status, std::string problem);

}  // namespace ordered_gnn::lab
