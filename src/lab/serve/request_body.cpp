#ifdef ORDERED_GNN_HTTPLIB

#include "lab/serve/request_body.h"

#include <algorithm>
#include <charconv>

#include "lab/serve/request_stream.h"

namespace ordered_gnn::lab {
namespace {

using Body = HttpCall::Body;

// Bytes of lines around chunks, beside as many as the body may have: who sends
// single bytes pays for that.
constexpr uint64_t kMostFraming = 1 << 16;
constexpr size_t kMostChunkLine = 1024;

class BodyReader {
 public:
  BodyReader(RequestStream& stream, uint64_t most, std::string* kept)
      : stream_(stream), kept_(kept), most_(most) {}

  Body read_length(uint64_t length) {
    if (length > most_ - size_) return Body::too_long;
    size_ += length;
    while (length > 0) {
      const std::string_view bytes = stream_.arrived();
      if (bytes.empty()) return missing();
      const auto part =
          static_cast<size_t>(std::min<uint64_t>(length, bytes.size()));
      if (kept_ != nullptr) kept_->append(bytes.substr(0, part));
      stream_.take(part);
      length -= part;
    }
    return Body::whole;
  }

  Body read_chunks() {
    while (true) {
      uint64_t length = 0;
      Body state = read_chunk_length(length);
      if (state != Body::whole) return state;
      if (length == 0) return read_trailers();
      state = read_length(length);
      if (state == Body::whole) state = read_line();
      if (state != Body::whole) return state;
      if (!line_.empty()) return Body::cut;
    }
  }

 private:
  Body missing() const {
    return stream_.is_late() ? Body::timed_out : Body::cut;
  }

  // A line, without its end, into line_.
  Body read_line() {
    line_.clear();
    while (line_.size() < kMostChunkLine) {
      const std::string_view bytes = stream_.arrived();
      if (bytes.empty()) return missing();
      if (++framing_ > most_ + kMostFraming) return Body::too_long;
      line_ += bytes.front();
      stream_.take(1);
      if (line_.back() != '\n') continue;
      if (line_.size() < 2 || line_[line_.size() - 2] != '\r') {
        return Body::cut;
      }
      line_.resize(line_.size() - 2);
      return Body::whole;
    }
    return Body::cut;
  }

  // "1a", and what may follow a semicolon.
  Body read_chunk_length(uint64_t& length) {
    const Body state = read_line();
    if (state != Body::whole) return state;
    const char* const begin = line_.data();
    const char* const end = begin + std::min(line_.find(';'), line_.size());
    const auto found = std::from_chars(begin, end, length, 16);
    if (found.ec == std::errc::result_out_of_range) return Body::too_long;
    return found.ec == std::errc() && found.ptr == end ? Body::whole
                                                       : Body::cut;
  }

  // Fields behind the last chunk say nothing to us.
  Body read_trailers() {
    while (true) {
      const Body state = read_line();
      if (state != Body::whole || line_.empty()) return state;
    }
  }

  RequestStream& stream_;
  std::string* const kept_;
  const uint64_t most_;
  uint64_t size_ = 0, framing_ = 0;
  std::string line_;
};

}  // namespace

HttpCall::Body read_body(RequestStream& stream, uint64_t most,
                         std::string* kept) {
  BodyReader reader(stream, most, kept);
  const RequestHead& head = stream.head();
  return head.is_chunked ? reader.read_chunks()
                         : reader.read_length(head.length);
}

}  // namespace ordered_gnn::lab

#endif
