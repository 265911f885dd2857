#include "support/conversation.h"

#ifdef ORDERED_GNN_HTTPLIB

#include <algorithm>

#include "lab/serve/http_front.h"

namespace ordered_gnn {
namespace {

class TextChannel : public lab::Channel {
 public:
  TextChannel(std::string_view in, size_t at_once)
      : in_(in), at_once_(at_once) {}

  ssize_t read(char* bytes, size_t size, Clock::time_point /*until*/) override {
    const size_t most = at_once_ == 0 ? size : std::min(size, at_once_);
    const size_t taken = in_.copy(bytes, most);
    in_.remove_prefix(taken);
    return taken > 0 ? static_cast<ssize_t>(taken) : kEnded;
  }
  bool write(const char* bytes, size_t size,
             Clock::time_point /*until*/) override {
    out.append(bytes, size);
    return true;
  }

  std::string out;

 private:
  std::string_view in_;
  const size_t at_once_;
};

}  // namespace

struct Conversation::Front {
  lab::HttpFront http;
};

Conversation::Conversation(lab::HttpHandler& handler,
                           const lab::HttpSettings& settings)
    : front_(new Front{{handler, settings}}) {}

std::string Conversation::answers_to(std::string_view bytes, size_t at_once) {
  TextChannel channel(bytes, at_once);
  front_->http.speak(channel, false);
  return channel.out;
}

#else

namespace ordered_gnn {

struct Conversation::Front {};

Conversation::Conversation(lab::HttpHandler& /*handler*/,
                           const lab::HttpSettings& /*settings*/) {}

std::string Conversation::answers_to(std::string_view /*bytes*/,
                                     size_t /*at_once*/) {
  return "";
}

#endif

Conversation::~Conversation() = default;

}  // namespace ordered_gnn
