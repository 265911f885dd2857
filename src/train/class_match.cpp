#include "train/class_match.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <unordered_map>

#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kUnknown = -1;
constexpr int64_t kAmbiguous = -2;
constexpr size_t kMostListed = 10;

bool are_numbers_in_order(const std::vector<std::string>& names) {
  for (size_t c = 0; c < names.size(); ++c) {
    if (names[c] != std::to_string(c)) return false;
  }
  return true;
}

bool is_whole_number(const std::string& name) {
  const size_t sign = !name.empty() && name[0] == '-' ? 1 : 0;
  return name.size() > sign &&
         name.find_first_not_of("0123456789", sign) == std::string::npos;
}

std::string name_at(const std::vector<std::string>& names, int64_t c) {
  const auto index = static_cast<size_t>(c);
  return index < names.size() ? names[index] : std::to_string(c);
}

// True when the data's classes have to be taken by their numbers.
bool goes_by_number(const Trained& trained, const NodeDataset& data) {
  const std::vector<std::string>& names = trained.class_names;
  if (!are_numbers_in_order(data.class_names)) return false;
  return are_numbers_in_order(names) ||
         !std::all_of(names.begin(), names.end(), is_whole_number);
}

std::unordered_map<std::string, int64_t> index_of(const Trained& trained) {
  std::unordered_map<std::string, int64_t> index;
  for (int64_t c = 0; c < trained.shape.num_classes; ++c) {
    const auto added = index.emplace(name_at(trained.class_names, c), c);
    if (!added.second) added.first->second = kAmbiguous;
  }
  return index;
}

// The model's class of every class of the data.
std::vector<int64_t> class_map(const Trained& trained,
                               const NodeDataset& data) {
  std::vector<int64_t> map(static_cast<size_t>(data.num_classes), kUnknown);
  const bool by_number =
      goes_by_number(trained, data) || data.class_names == trained.class_names;
  std::unordered_map<std::string, int64_t> index;
  if (!by_number) index = index_of(trained);
  for (int64_t c = 0; c < data.num_classes; ++c) {
    int64_t& target = map[static_cast<size_t>(c)];
    if (by_number) {
      target = c < trained.shape.num_classes ? c : kUnknown;
      continue;
    }
    const auto found = index.find(name_at(data.class_names, c));
    if (found != index.end()) target = found->second;
  }
  return map;
}

// Nodes whose class has no place among the model's.
struct Strangers {
  int64_t nodes = 0;
  int64_t first = -1;                ///< the first such node
  std::vector<std::string> classes;  ///< in the order of the data
};

Strangers find_strangers(const NodeDataset& data,
                         const std::vector<int64_t>& map) {
  const at::Tensor labels = data.labels.contiguous();
  const int64_t* const label = labels.data_ptr<int64_t>();
  std::vector<bool> met(map.size());
  Strangers out;
  for (int64_t v = 0; v < labels.numel(); ++v) {
    if (label[v] < 0 || map[static_cast<size_t>(label[v])] >= 0) continue;
    if (out.nodes++ == 0) out.first = v;
    met[static_cast<size_t>(label[v])] = true;
  }
  for (size_t c = 0; c < met.size(); ++c) {
    if (!met[c]) continue;
    out.classes.push_back(name_at(data.class_names, static_cast<int64_t>(c)));
  }
  return out;
}

[[noreturn]] void fail_unknown_class(const Trained& trained,
                                     const NodeDataset& data,
                                     const std::vector<int64_t>& map,
                                     const Strangers& strangers,
                                     const std::filesystem::path& where) {
  const auto label = data.labels[strangers.first].item<int64_t>();
  const std::string name = name_at(data.class_names, label);
  const std::string node = name_at(data.node_names, strangers.first);
  if (map[static_cast<size_t>(label)] == kAmbiguous) {
    fail_in(where, fmt::format("knows two classes called '{}', so that node "
                               "'{}' of '{}' cannot be told apart",
                               name, node, data.name));
  }
  const std::string others =
      strangers.nodes == 1
          ? ""
          : fmt::format(
                ", and {} nodes are of classes that it does not know "
                "({})",
                strangers.nodes, training::class_list(strangers.classes, 0));
  const std::string nearest = core::nearest_name(name, trained.class_names);
  fail_in(
      where,
      fmt::format(
          "was trained on {} classes ({}), but node '{}' of '{}' "
          "is of class '{}'{}{}; correct the labels, or leave such "
          "nodes out of all scores with --unknown-classes ignore",
          trained.shape.num_classes,
          training::class_list(trained.class_names, trained.shape.num_classes),
          node, data.name, name,
          nearest.empty() ? "" : fmt::format(" (did you mean '{}'?)", nearest),
          others));
}

at::Tensor mapped_labels(const NodeDataset& data,
                         const std::vector<int64_t>& map) {
  at::Tensor out = data.labels.clone(at::MemoryFormat::Contiguous);
  int64_t* const label = out.data_ptr<int64_t>();
  for (int64_t v = 0; v < out.numel(); ++v) {
    if (label[v] < 0) continue;
    label[v] = std::max<int64_t>(map[static_cast<size_t>(label[v])], -1);
  }
  return out;
}

bool is_labelled(const NodeDataset& data) {
  return data.labels.numel() > 0 && data.labels.max().item<int64_t>() >= 0;
}

void add_notes(const Trained& trained, const NodeDataset& data,
               const Strangers& strangers, std::vector<std::string>& notes) {
  if (strangers.nodes > 0) {
    notes.push_back(fmt::format(
        "{} nodes of '{}' are of classes that the model does not know ({}); "
        "they count as unlabelled",
        strangers.nodes, data.name,
        training::class_list(strangers.classes, 0)));
  }
  if (goes_by_number(trained, data) &&
      !are_numbers_in_order(trained.class_names) && is_labelled(data)) {
    notes.push_back(fmt::format(
        "the classes of '{}' are numbers: 0 is taken as the first class of the "
        "model, '{}', and so on",
        data.name, name_at(trained.class_names, 0)));
  }
}

}  // namespace

bool training::same_classes(const std::vector<std::string>& a,
                            const std::vector<std::string>& b) {
  return a == b || (are_numbers_in_order(a) && are_numbers_in_order(b) &&
                    (a.empty() || b.empty()));
}

bool training::has_classes_of(const Trained& trained, const NodeDataset& data) {
  return data.num_classes == trained.shape.num_classes &&
         same_classes(data.class_names, trained.class_names);
}

std::string training::class_list(const std::vector<std::string>& names,
                                 int64_t count) {
  if (names.empty()) return fmt::format("0 to {}", count - 1);
  std::string out;
  const size_t listed = std::min(names.size(), kMostListed);
  for (size_t c = 0; c < listed; ++c) {
    out += (c == 0 ? "" : ", ") + names[c];
  }
  if (listed == names.size()) return out;
  return fmt::format("{} and {} more", out, names.size() - listed);
}

void require_fit(const Trained& trained, const NodeDataset& data,
                 const std::filesystem::path& where) {
  training::require_inputs(trained, data, where);
  const std::vector<int64_t> map = class_map(trained, data);
  const Strangers strangers = find_strangers(data, map);
  if (strangers.nodes == 0) return;
  fail_unknown_class(trained, data, map, strangers, where);
}

FoundData match_classes(const Trained& trained, const NodeDataset& data,
                        UnknownClasses unknown,
                        const std::filesystem::path& where) {
  training::require_inputs(trained, data, where);
  const std::vector<int64_t> map = class_map(trained, data);
  const Strangers strangers = find_strangers(data, map);
  if (strangers.nodes > 0 && unknown == UnknownClasses::refuse) {
    fail_unknown_class(trained, data, map, strangers, where);
  }
  FoundData out{data, {}};
  add_notes(trained, data, strangers, out.notes);
  out.data.labels = mapped_labels(data, map);
  out.data.num_classes = trained.shape.num_classes;
  out.data.class_names = trained.class_names;
  return out;
}

}  // namespace ordered_gnn
