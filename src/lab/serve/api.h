#pragma once
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "lab/serve/access.h"
#include "lab/serve/http_call.h"
#include "lab/serve/metrics.h"
#include "lab/serve/service.h"

namespace ordered_gnn::lab {

struct ApiSettings {
  int64_t max_nodes = 1000;               ///< of one prediction request
  int64_t max_body = 8 << 20;             ///< bytes
  int64_t max_explain_visits = 20000000;  ///< edges read for one explanation
  std::chrono::milliseconds max_wait{30000};  ///< of a request
};

/// What a service answers over HTTP; docs/openapi.json describes it.
class Api : public HttpHandler {
 public:
  Api(Service& service, Access access, ApiSettings settings)
      : service_(service), access_(std::move(access)), settings_(settings) {}

  bool takes_body(const HttpCall& call) const override;
  HttpReply answer(const HttpCall& call) override;

  /// From now on /readyz says no, so that no new requests are sent.
  void retire() { is_ready_ = false; }

 private:
  HttpReply dispatch(const HttpCall& call, std::string& route);
  HttpReply answer_body(const HttpCall& call, const std::string& route);
  HttpReply predict(const Json& body);
  HttpReply change(const Json& body);
  HttpReply explain(const Json& body);
  HttpReply load_model(const Json& body);
  HttpReply model() const;
  HttpReply ready() const;
  HttpReply page();
  bool is_allowed(const HttpCall& call) const;

  Service& service_;
  const Access access_;
  const ApiSettings settings_;
  RequestMetrics metrics_;
  std::atomic<bool> is_ready_{true};
  std::timed_mutex explaining_;
  std::weak_ptr<const ExplainedVersion> page_of_;  // both under explaining_
  std::string page_;
};

}  // namespace ordered_gnn::lab
