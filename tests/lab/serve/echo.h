#pragma once
#include <atomic>
#include <string>

#include "lab/serve/http_call.h"

namespace ordered_gnn::lab {

/// Says what it was asked.
class Echo : public HttpHandler {
 public:
  bool takes_body(const HttpCall& call) const override {
    return !call.is_overload && call.path != "/refuse";
  }
  HttpReply answer(const HttpCall& call) override {
    ++answers;
    if (call.is_overload) return {503, "text/plain", "too many<end>"};
    if (call.refused_status != 0) {
      return {call.refused_status, "text/plain", call.refused_because};
    }
    switch (call.body_state) {
      case HttpCall::Body::too_long:
        return {413, "text/plain", "long<end>"};
      case HttpCall::Body::timed_out:
        return {408, "text/plain", "late<end>"};
      case HttpCall::Body::cut:
        return {400, "text/plain", "cut<end>"};
      default:
        return {200, "text/plain",
                call.method + " " + call.path + " " + call.body +
                    call.authorization + "<end>"};
    }
  }
  std::atomic<int> answers{0};
};

}  // namespace ordered_gnn::lab
