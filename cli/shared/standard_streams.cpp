#include "shared/standard_streams.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <streambuf>
#include <string>
#include <string_view>

#include "core/visible_text.h"
#include "shared/terminal.h"

namespace ordered_gnn::cli {
namespace {

// Where standard output goes when nothing is changed on the way.
std::streambuf* plain_output = nullptr;

void refuse_missing_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // The lowest number that is free, which is this one.
    const int way = stream == STDIN_FILENO ? O_WRONLY : O_RDONLY;
    if (::open("/dev/null", way) < 0) return;
  }
}

// Bytes at the end of `text` that begin a character and do not complete it.
size_t begun_character(std::string_view text) {
  for (size_t count = 1; count <= 3 && count <= text.size(); ++count) {
    const auto byte = static_cast<unsigned char>(text[text.size() - count]);
    if ((byte & 0xc0u) == 0x80u) continue;
    if (byte < 0xc2u || byte > 0xf4u) return 0;
    const size_t needed = byte >= 0xf0u ? 4 : byte >= 0xe0u ? 3 : 2;
    return count < needed ? count : 0;
  }
  return 0;
}

}  // namespace

// Holds back what it has until a block is full, a line ends on a terminal, or
// it is flushed.
class StandardStreams::VisibleOutput : public std::streambuf {
 public:
  explicit VisibleOutput(bool ends_by_signal)
      : ends_by_signal_(ends_by_signal),
        by_line_(is_terminal(Stream::out)),
        target_(std::cout.rdbuf(this)) {
    plain_output = target_;
  }
  ~VisibleOutput() override {
    VisibleOutput::sync();
    std::cout.rdbuf(target_);
    plain_output = nullptr;
  }
  VisibleOutput(const VisibleOutput&) = delete;
  VisibleOutput& operator=(const VisibleOutput&) = delete;

 protected:
  int_type overflow(int_type c) override {
    if (traits_type::eq_int_type(c, traits_type::eof())) {
      return traits_type::not_eof(c);
    }
    held_ += traits_type::to_char_type(c);
    return pass_on_when_full() ? c : traits_type::eof();
  }

  std::streamsize xsputn(const char* text, std::streamsize count) override {
    held_.append(text, static_cast<size_t>(count));
    return pass_on_when_full() ? count : 0;
  }

  int sync() override {
    const bool passed = pass_on(held_.size());
    return target_->pubsync() == 0 && passed ? 0 : end_when_nobody_reads();
  }

 private:
  static constexpr size_t kBlock = size_t{1} << 16;

  bool pass_on_when_full() {
    const bool ends_line = by_line_ && !held_.empty() && held_.back() == '\n';
    return (held_.size() < kBlock && !ends_line) ||
           pass_on(held_.size() - begun_character(held_));
  }

  bool pass_on(size_t count) {
    const std::string shown = core::visible(
        std::string_view(held_).substr(0, count), core::LineBreaks::kept);
    held_.erase(0, count);
    const auto size = static_cast<std::streamsize>(shown.size());
    if (target_->sputn(shown.data(), size) == size) return true;
    end_when_nobody_reads();
    return false;
  }

  // As it would have ended had the signal not been turned off for the sake of
  // standard error.
  int end_when_nobody_reads() const {
    if (errno == EPIPE && ends_by_signal_) {
      ::signal(SIGPIPE, SIG_DFL);
      ::raise(SIGPIPE);
    }
    return -1;
  }

  const bool ends_by_signal_;
  const bool by_line_;
  std::streambuf* const target_;
  std::string held_;
};

StandardStreams::StandardStreams() {
  refuse_missing_streams();
  const bool ignored_before = ::signal(SIGPIPE, SIG_IGN) == SIG_IGN;
  output_ = std::make_unique<VisibleOutput>(!ignored_before);
}

StandardStreams::~StandardStreams() = default;

std::ostream& help_output() {
  static std::ostream output(plain_output != nullptr ? plain_output
                                                     : std::cout.rdbuf());
  std::cout.flush();
  return output;
}

}  // namespace ordered_gnn::cli
