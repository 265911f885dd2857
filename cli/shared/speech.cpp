#include "shared/speech.h"

#include <cstdio>

#include "core/visible_text.h"

namespace ordered_gnn::cli {

// Not fmt::print(), which throws when nobody reads.
void draw(std::string_view codes) {
  std::fwrite(codes.data(), 1, codes.size(), stderr);
  std::fflush(stderr);
}

void say(const std::string& text) {
  draw(core::visible(text, core::LineBreaks::kept) + "\n");
}

void say_as_ognn(Ink ink, const std::string& text) {
  draw(inked(ink, "ognn:", wants_colours(Stream::err)) + " " +
       core::visible(text, core::LineBreaks::kept) + "\n");
}

}  // namespace ordered_gnn::cli
