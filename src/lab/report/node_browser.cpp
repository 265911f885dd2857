#include "lab/report/node_browser.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/report/html.h"
#include "lab/report/packing.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

using nlohmann::json;

constexpr int64_t kMostNeighbours = 64;  // where lists are cut at all
constexpr int64_t kLeastShares = 4;      // that are never added up

void check_lists(const NodeBrowser& nodes) {
  const size_t count = nodes.label.size();
  const auto check = [&](size_t size, const char* what, bool may_be_empty) {
    if (size == count || (may_be_empty && size == 0)) return;
    fail("there are {} of the nodes' {} for {} nodes", size, what, count);
  };
  check(nodes.predicted.size(), "predictions", false);
  check(nodes.confidence.size(), "confidences", true);
  check(nodes.homophily.size(), "homophilies", true);
  check(nodes.degree.size(), "degrees", true);
  check(nodes.part.size(), "parts", true);
  check(nodes.node_names.size(), "names", true);
  const auto shares = static_cast<size_t>(nodes.num_shares);
  if (nodes.hop_shares.size() != count * shares) {
    fail("{} hop shares do not make {} rows of {}", nodes.hop_shares.size(),
         count, shares);
  }
  if (nodes.in.rowptr.defined() &&
      nodes.in.rowptr.numel() != static_cast<int64_t>(count) + 1) {
    fail("the graph has {} nodes, not {}", nodes.in.rowptr.numel() - 1, count);
  }
  const auto classes = static_cast<int64_t>(nodes.class_names.size());
  for (size_t v = 0; v < count; ++v) {
    for (const int64_t of : {nodes.label[v], nodes.predicted[v]}) {
      if (of < -1 || of >= classes) {
        fail("node {} has class {}, of {} classes", v, of, classes);
      }
    }
  }
}

// One byte per node, two where there are many classes; 0 stands for unknown.
std::string packed_classes(const std::vector<int64_t>& of, bool wide) {
  std::string out;
  out.reserve(of.size() * (wide ? 2 : 1));
  for (const int64_t c : of) {
    const auto value = static_cast<uint64_t>(c + 1);
    out += static_cast<char>(value % 256);
    if (wide) out += static_cast<char>(value / 256);
  }
  return out;
}

std::string packed_bytes(const std::vector<float>& shares) {
  std::string out;
  out.reserve(shares.size());
  for (const float share : shares) {
    out += static_cast<char>(quantised(share));
  }
  return out;
}

// Steps of 1 / 254; 255 stands for unknown.
std::string packed_homophily(const std::vector<float>& values) {
  std::string out;
  for (const float value : values) {
    out += static_cast<char>(
        std::isfinite(value)
            ? std::lround(254 * std::clamp(double{value}, 0.0, 1.0))
            : 255);
  }
  return out;
}

std::string packed_degrees(const std::vector<int64_t>& degrees) {
  std::string out;
  for (const int64_t degree : degrees) {
    append_varint(static_cast<uint64_t>(degree), out);
  }
  return out;
}

// The shares of the hops from `kept - 1` on are added up in the last place.
std::string packed_shares(const NodeBrowser& nodes, int64_t kept) {
  const int64_t all = nodes.num_shares;
  std::string out;
  out.reserve(nodes.label.size() * static_cast<size_t>(kept));
  for (size_t v = 0; v < nodes.label.size(); ++v) {
    const float* const row = nodes.hop_shares.data() + v * all;
    for (int64_t k = 0; k + 1 < kept; ++k) {
      out += static_cast<char>(quantised(row[k]));
    }
    double rest = 0;
    for (int64_t k = std::max<int64_t>(kept - 1, 0); k < all; ++k) {
      rest += row[k];
    }
    if (kept > 0) out += static_cast<char>(quantised(rest));
  }
  return out;
}

// Per node: how many are listed, the first, and the steps from one to the next.
// Of longer lists neighbours at even places are kept.
template <typename Index>
std::string packed_neighbours(const NodeBrowser& nodes, int64_t most) {
  const int64_t* const rowptr = nodes.in.rowptr.data_ptr<int64_t>();
  const Index* const col = nodes.in.col.data_ptr<Index>();
  std::string out;
  std::vector<int64_t> list;
  for (int64_t v = 0; v < nodes.num_nodes(); ++v) {
    list.clear();
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      if (col[e] != v) list.push_back(col[e]);
    }
    const auto there = static_cast<int64_t>(list.size());
    const int64_t kept = std::min(there, most);
    append_varint(static_cast<uint64_t>(kept), out);
    int64_t last = 0;
    for (int64_t i = 0; i < kept; ++i) {
      const int64_t next = list[static_cast<size_t>(i * there / kept)];
      append_varint(static_cast<uint64_t>(next - last), out);
      last = next;
    }
  }
  return out;
}

std::string neighbours_of(const NodeBrowser& nodes, int64_t most) {
  return nodes.in.col.scalar_type() == at::kInt
             ? packed_neighbours<int32_t>(nodes, most)
             : packed_neighbours<int64_t>(nodes, most);
}

std::string bytes_element(const char* name, std::string_view bytes) {
  return fmt::format(
      "<script type=\"application/octet-stream\" id=\"nodes-{}\">{}</script>\n",
      name, base64(bytes));
}

std::string json_element(const char* name, const json& value) {
  return fmt::format(
      "<script type=\"application/json\" id=\"nodes-{}\">{}</script>\n", name,
      json_in_html(value));
}

// What is always there.
std::string fixed_elements(const NodeBrowser& nodes, bool wide) {
  return bytes_element("label", packed_classes(nodes.label, wide)) +
         bytes_element("predicted", packed_classes(nodes.predicted, wide)) +
         bytes_element("confidence", packed_bytes(nodes.confidence)) +
         bytes_element("homophily", packed_homophily(nodes.homophily)) +
         bytes_element("degree", packed_degrees(nodes.degree)) +
         bytes_element("part",
                       {reinterpret_cast<const char*>(nodes.part.data()),
                        nodes.part.size()}) +
         json_element("details",
                      nodes.details.is_null() ? json::array() : nodes.details);
}

// Neighbours for what room there is; -1: all of them, 0: none.
struct Neighbours {
  int64_t most = 0;
  std::string bytes;
};

Neighbours fitting_neighbours(const NodeBrowser& nodes, int64_t room) {
  if (!nodes.in.rowptr.defined()) return {};
  Neighbours out{-1, neighbours_of(nodes, nodes.num_nodes())};
  const auto fits = [&] {
    return base64_size(static_cast<int64_t>(out.bytes.size())) <= room;
  };
  for (int64_t most = kMostNeighbours; !fits(); most /= 2) {
    if (most < 2) return {};
    out = {most, neighbours_of(nodes, most)};
  }
  return out;
}

// Shares that may stay apart with `room` bytes for all of them.
int64_t fitting_shares(const NodeBrowser& nodes, int64_t room) {
  const int64_t row = base64_size(nodes.num_nodes());
  const int64_t fit = room / std::max<int64_t>(row, 1);
  return std::min(nodes.num_shares, std::max(fit, kLeastShares));
}

void add_notes(const NodeBrowser& nodes, const Neighbours& neighbours,
               bool named, int64_t shares, std::vector<std::string>& notes) {
  if (nodes.in.rowptr.defined() && neighbours.most == 0) {
    notes.emplace_back(
        "The graph is too large for this page: neighbours are known only of "
        "the nodes listed here. Ask for others with --node.");
  } else if (neighbours.most > 0) {
    notes.push_back(fmt::format(
        "The graph is large: this page holds at most {} neighbours of a node, "
        "so trees and counts of other nodes than those listed are incomplete.",
        neighbours.most));
  }
  if (!named && !nodes.node_names.empty()) {
    notes.emplace_back(
        "Names of nodes are left out for their size; nodes are numbered in "
        "the order of the file, from 0.");
  }
  if (shares < nodes.num_shares) {
    notes.push_back(fmt::format(
        "Shares of hop {} and beyond are added up for single nodes.",
        shares - 1));
  }
}

}  // namespace

PackedNodes pack_nodes(const NodeBrowser& nodes, int64_t max_bytes) {
  check_lists(nodes);
  constexpr size_t kOneByteClasses = 255, kTwoByteClasses = 65535;
  if (nodes.class_names.size() > kTwoByteClasses) {
    fail("a page shows nodes of at most {} classes, not {}", kTwoByteClasses,
         nodes.class_names.size());
  }
  const bool wide = nodes.class_names.size() > kOneByteClasses;
  PackedNodes out;
  out.html = fixed_elements(nodes, wide);
  const auto size = [&] { return static_cast<int64_t>(out.html.size()); };
  // Half of what is left is for shares, so that neighbours have a chance.
  const int64_t shares = fitting_shares(nodes, (max_bytes - size()) / 2);
  out.html += bytes_element("shares", packed_shares(nodes, shares));
  std::string names = json_element("names", nodes.node_names);
  const bool named =
      static_cast<int64_t>(names.size()) <= (max_bytes - size()) / 3;
  if (!named) names = json_element("names", json::array());
  out.html += names;
  const Neighbours neighbours = fitting_neighbours(nodes, max_bytes - size());
  out.html += bytes_element("neighbours", neighbours.bytes);
  out.html += json_element("about", {{"nodes", nodes.num_nodes()},
                                     {"classes", nodes.class_names},
                                     {"wide", wide},
                                     {"shares", shares},
                                     {"hops", nodes.num_shares - 1},
                                     {"most_neighbours", neighbours.most}});
  add_notes(nodes, neighbours, named, shares, out.notes);
  return out;
}

}  // namespace ordered_gnn::lab
