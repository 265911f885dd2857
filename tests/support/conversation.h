#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "lab/serve/http_server.h"

namespace ordered_gnn {

/// What a server answers on one connection, without a socket: a client says all
/// of its bytes and nothing more.
class Conversation {
 public:
  /// Builds without cpp-httplib answer nothing (lab::can_serve_http()).
  Conversation(lab::HttpHandler& handler, const lab::HttpSettings& settings);
  ~Conversation();
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;

  /// @param at_once  bytes that arrive together; 0: all.
  std::string answers_to(std::string_view bytes, size_t at_once = 0);

 private:
  struct Front;
  std::unique_ptr<Front> front_;
};

}  // namespace ordered_gnn
