#include "lab/report/style_sheet.h"

#include <fmt/format.h>

namespace ordered_gnn::lab {

// Rules of one class are ordered from general to special: a mark is filled by
// its series first and emptied by og-hollow after that. All selectors begin
// with the root's class, because a page that holds several pictures applies
// every sheet to all of them.
//
// Okabe and Ito's yellow cannot be seen on white; dark gold stands in for it.
std::string_view light_rules() {
  return R"(
.og-plot text{font-family:system-ui,-apple-system,"Segoe UI","Helvetica Neue",Arial,sans-serif;fill:#333}
.og-plot .og-title{font-size:15px;font-weight:600;fill:#111}
.og-plot .og-label{font-size:13px}
.og-plot .og-tick{font-size:12px;fill:#555}
.og-plot .og-note{font-size:11px;fill:#555}
.og-plot .og-halo{paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}
.og-plot .og-on-faint{fill:#1a1a1a}
.og-plot .og-on-strong{fill:#fff}
.og-plot .og-back{fill:#fff}
.og-plot .og-panel{fill:#f7f7f8}
.og-plot .og-grid{stroke:#e3e3e6;stroke-width:1}
.og-plot .og-axis{stroke:#777;stroke-width:1}
.og-plot .og-s0{stroke:#0072b2;fill:#0072b2}
.og-plot .og-s1{stroke:#d55e00;fill:#d55e00}
.og-plot .og-s2{stroke:#009e73;fill:#009e73}
.og-plot .og-s3{stroke:#cc79a7;fill:#cc79a7}
.og-plot .og-s4{stroke:#e69f00;fill:#e69f00}
.og-plot .og-s5{stroke:#56b4e9;fill:#56b4e9}
.og-plot .og-s6{stroke:#5b5b5b;fill:#5b5b5b}
.og-plot .og-s7{stroke:#a08a00;fill:#a08a00}
.og-plot .og-q0{stroke:#d5e3f0;fill:#d5e3f0}
.og-plot .og-q1{stroke:#c2d7ea;fill:#c2d7ea}
.og-plot .og-q2{stroke:#abc8e2;fill:#abc8e2}
.og-plot .og-q3{stroke:#92b8d9;fill:#92b8d9}
.og-plot .og-q4{stroke:#77a5ce;fill:#77a5ce}
.og-plot .og-q5{stroke:#5c91c1;fill:#5c91c1}
.og-plot .og-q6{stroke:#427cb1;fill:#427cb1}
.og-plot .og-q7{stroke:#2a669f;fill:#2a669f}
.og-plot .og-q8{stroke:#144f8a;fill:#144f8a}
.og-plot .og-line{fill:none;stroke-width:2;stroke-linejoin:round;stroke-linecap:round}
.og-plot .og-thin{fill:none;stroke-width:1.2;stroke-linejoin:round}
.og-plot .og-many{fill:none;stroke-width:1;stroke-opacity:.6;stroke-linejoin:round}
.og-plot .og-dash{stroke-dasharray:6 4}
.og-plot .og-area{stroke:none;fill-opacity:.18}
.og-plot .og-bar{stroke:none}
.og-plot .og-box{fill-opacity:.35;stroke-width:1}
.og-plot .og-whisker{stroke-width:1.2}
.og-plot .og-outlier{stroke-width:2.4;stroke-linecap:round;stroke-opacity:.6}
.og-plot .og-slim{stroke-width:1;stroke-opacity:.4}
.og-plot .og-error{stroke:#333;stroke-width:1.2}
.og-plot .og-median{stroke:#d55e00;stroke-width:2}
.og-plot .og-mark{stroke:#fff;stroke-width:1}
.og-plot .og-hollow{fill:#fff;stroke-width:1.8}
.og-plot .og-hover{opacity:0}
.og-plot .og-hover:hover{opacity:1}
.og-plot .og-faint{fill:none;stroke:#d0d0d4;stroke-width:1}
.og-plot .og-best{fill:none;stroke:#d55e00;stroke-width:3;stroke-linejoin:round}
)";
}

std::string_view dark_rules() {
  return R"(
.og-plot text{fill:#d6d8dc}
.og-plot .og-title{fill:#f2f3f5}
.og-plot .og-tick{fill:#a9adb5}
.og-plot .og-note{fill:#a9adb5}
.og-plot .og-halo{stroke:#16181d}
.og-plot .og-on-faint{fill:#f2f3f5}
.og-plot .og-on-strong{fill:#10131a}
.og-plot .og-back{fill:#16181d}
.og-plot .og-panel{fill:#1d2026}
.og-plot .og-grid{stroke:#30343c}
.og-plot .og-axis{stroke:#8b9099}
.og-plot .og-s0{stroke:#4da6e0;fill:#4da6e0}
.og-plot .og-s1{stroke:#ff8a42;fill:#ff8a42}
.og-plot .og-s2{stroke:#2fc797;fill:#2fc797}
.og-plot .og-s3{stroke:#e7a3c9;fill:#e7a3c9}
.og-plot .og-s4{stroke:#f6bb3d;fill:#f6bb3d}
.og-plot .og-s5{stroke:#9bd8ff;fill:#9bd8ff}
.og-plot .og-s6{stroke:#b4b8bf;fill:#b4b8bf}
.og-plot .og-s7{stroke:#d8c64a;fill:#d8c64a}
.og-plot .og-q0{stroke:#22324a;fill:#22324a}
.og-plot .og-q1{stroke:#273f60;fill:#273f60}
.og-plot .og-q2{stroke:#2d4d77;fill:#2d4d77}
.og-plot .og-q3{stroke:#345c8f;fill:#345c8f}
.og-plot .og-q4{stroke:#3e6da6;fill:#3e6da6}
.og-plot .og-q5{stroke:#4d80bb;fill:#4d80bb}
.og-plot .og-q6{stroke:#6496cd;fill:#6496cd}
.og-plot .og-q7{stroke:#83afdd;fill:#83afdd}
.og-plot .og-q8{stroke:#add0f1;fill:#add0f1}
.og-plot .og-area{stroke:none}
.og-plot .og-bar{stroke:none}
.og-plot .og-line,.og-plot .og-thin,.og-plot .og-many{fill:none}
.og-plot .og-error{stroke:#d6d8dc}
.og-plot .og-median{stroke:#ff8a42}
.og-plot .og-mark{stroke:#16181d}
.og-plot .og-hollow{fill:#16181d}
.og-plot .og-faint{fill:none;stroke:#3a3f48}
.og-plot .og-best{fill:none;stroke:#ff8a42}
)";
}

std::string style_sheet() {
  return fmt::format("{}@media (prefers-color-scheme:dark){{{}}}\n",
                     light_rules(), dark_rules());
}

}  // namespace ordered_gnn::lab
