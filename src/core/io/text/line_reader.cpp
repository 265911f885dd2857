#include <cstring>
#include <vector>

#include "core/affixes.h"
#include "core/io/gzip_input.h"
#include "core/io/text/text.h"
#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn::core {
namespace {

constexpr size_t kBlockSize = size_t{1} << 18;
// Text between two looks at the memory that is left.
constexpr size_t kLookSize = size_t{1} << 22;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

// Lines are views into `buffer`; only the part of a line cut by the end of a
// block is ever moved.
struct LineReader::State {
  State(const std::filesystem::path& path, size_t max_line_bytes)
      : input(path),
        max_line(max_line_bytes),
        buffer(kBlockSize),
        place{path, 0} {}

  // Makes room behind `end` and reads a block; false at the end of the file.
  bool refill() {
    if (begin > 0) {
      std::memmove(buffer.data(), buffer.data() + begin, end - begin);
      end -= begin;
      begin = 0;
    }
    if (end == buffer.size()) {
      require_memory(static_cast<int64_t>(2 * buffer.size()), where(),
                     "a line that goes on");
      buffer.resize(2 * buffer.size());
    }
    const size_t count = input.read(buffer.data() + end, buffer.size() - end);
    end += count;
    since_look += count;
    if (since_look >= kLookSize) look_at_memory();
    return count > 0;
  }

  // Whoever reads keeps something of every line: a small gzip file of endless
  // lines ends here and not with the memory of the machine.
  void look_at_memory() {
    since_look = 0;
    require_memory(static_cast<int64_t>(kLookSize), where(),
                   "the text from here on");
  }

  std::string where() const {
    return fmt::format("{}:{}", place.file.string(), place.line);
  }

  // The offset of the next line feed, or of the end of an unfinished last line.
  size_t find_end_of_line() {
    for (size_t searched = 0;;) {
      const size_t from = begin + searched;
      const void* const found =
          from < end ? std::memchr(buffer.data() + from, '\n', end - from)
                     : nullptr;
      if (found != nullptr) {
        return static_cast<size_t>(static_cast<const char*>(found) -
                                   buffer.data());
      }
      searched = end - begin;
      if (searched > max_line) return end;
      if (!refill()) return end;
    }
  }

  void check(std::string_view line) const {
    if (line.size() > max_line) {
      fail_at(place, fmt::format("the line has more than {} bytes; is this a "
                                 "text file?",
                                 max_line));
    }
    if (std::memchr(line.data(), '\0', line.size()) != nullptr) {
      fail_at(place, "the line has a NUL byte; expected a text file");
    }
  }

  GzipInput input;
  size_t max_line;
  std::vector<char> buffer;
  size_t begin = 0;  // of the bytes not yet returned
  size_t end = 0;
  size_t since_look = 0;
  SourceLine place;
};

LineReader::LineReader(const std::filesystem::path& path, size_t max_line_bytes)
    : state_(std::make_unique<State>(path, max_line_bytes)) {}

LineReader::~LineReader() = default;

bool LineReader::next(std::string_view& line) {
  State& state = *state_;
  const size_t stop = state.find_end_of_line();
  if (stop == state.begin && stop == state.end) return false;
  line = {state.buffer.data() + state.begin, stop - state.begin};
  state.begin = stop < state.end ? stop + 1 : stop;
  ++state.place.line;
  state.check(line);
  take_suffix(line, "\r");
  if (state.place.line == 1) take_prefix(line, kByteOrderMark);
  return true;
}

const SourceLine& LineReader::place() const { return state_->place; }

}  // namespace ordered_gnn::core
