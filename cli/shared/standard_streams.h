#pragma once
#include <iosfwd>
#include <memory>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::cli {

/// Puts the standard streams in order while it lives, from the start of the
/// program on. At most one object.
///
/// - A stream that the program was started without (2>&-) is made one that
///   refuses to be read or written: otherwise a file opened later would get its
///   number, and what is said its content.
/// - Nobody reading standard error any more does not end the program. Nobody
///   reading standard output does, as it always did: by SIGPIPE.
/// - What is written to std::cout passes through core::visible(), which changes
///   names from files that would command a terminal, and of JSON only how it is
///   spelt. help_output() is for what has colours of ours.
class StandardStreams : NonCopyable {
 public:
  StandardStreams();
  ~StandardStreams();

 private:
  class VisibleOutput;
  std::unique_ptr<VisibleOutput> output_;
};

/// Standard output as it is, for text of ours alone.
std::ostream& help_output();

}  // namespace ordered_gnn::cli
