#include "core/io/pickle/machine.h"

#include "core/io/pickle/constructors.h"

namespace ordered_gnn::core {
namespace {

// A name from the file as it can be shown: short and printable.
std::string shown(std::string_view text) {
  constexpr size_t kMost = 60;
  std::string result(text.substr(0, kMost));
  for (char& c : result) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > kMost ? result + "..." : result;
}

}  // namespace

void PickleMachine::require(size_t count) const {
  if (stack_.size() - floor() < count) {
    cursor_.refuse(fmt::format("needs {} values but {} are there", count,
                               stack_.size() - floor()));
  }
}

PickleMachine::Slot PickleMachine::pop() {
  require(1);
  const Slot slot = stack_.back();
  stack_.pop_back();
  return slot;
}

size_t PickleMachine::count_to_mark() {
  if (marks_.empty()) cursor_.refuse("has no MARK before it");
  const size_t count = stack_.size() - marks_.back();
  marks_.pop_back();
  return count;
}

PickleMachine::Slot PickleMachine::make(PickleKind kind,
                                        std::vector<Slot> items) {
  for (const Slot& item : items) hold(item);
  Slot slot;
  slot.kind = kind;
  slot.value = static_cast<int64_t>(store_.nodes.size());
  store_.nodes.push_back({std::move(items), false});
  return slot;
}

void PickleMachine::hold(const Slot& slot) {
  if (PickleStore::has_node(slot)) {
    store_.nodes[static_cast<size_t>(slot.value)].held = true;
  }
}

// Writers fill a container before they put it anywhere, so that only a value
// that contains itself ever fails here.
PickleStore::Node& PickleMachine::changeable(const Slot& slot,
                                             PickleKind kind) {
  if (slot.kind != kind) {
    cursor_.refuse(fmt::format("needs {} to change, found {}", to_string(kind),
                               to_string(slot.kind)));
  }
  PickleStore::Node& node = store_.nodes[static_cast<size_t>(slot.value)];
  if (node.held) {
    cursor_.refuse(
        fmt::format("changes {} that another value holds already; values that "
                    "contain themselves are not read",
                    to_string(kind)));
  }
  return node;
}

void PickleMachine::tuple(size_t count) {
  require(count);
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  const Slot made = make(PickleKind::tuple, {first, stack_.end()});
  stack_.erase(first, stack_.end());
  push(made);
}

void PickleMachine::tuple_to_mark() { tuple(count_to_mark()); }

void PickleMachine::extend(PickleKind kind, size_t count) {
  require(count + 1);
  if (kind == PickleKind::dict && count % 2 != 0) {
    cursor_.refuse("has a key without a value");
  }
  const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
  const Slot target = *(first - 1);
  for (auto slot = first; slot != stack_.end(); ++slot) hold(*slot);
  // After the new values are held: one of them may be the target itself.
  std::vector<Slot>& items = changeable(target, kind).items;
  items.insert(items.end(), first, stack_.end());
  stack_.erase(first, stack_.end());
}

void PickleMachine::extend_to_mark(PickleKind kind) {
  extend(kind, count_to_mark());
}

PickleMachine::Slot PickleMachine::make_object(const Slot& constructor,
                                               const Slot& arguments) {
  const std::string_view name = pickle_constructor_name(constructor.value);
  if (name == pickle_constructors::kList) {
    cursor_.refuse(
        "calls list, which is only read as what fills a "
        "defaultdict");
  }
  if (name != pickle_constructors::kDefaultdict) {
    return make(PickleKind::object, {constructor, arguments, Slot{}});
  }
  const auto& given = store_.nodes[static_cast<size_t>(arguments.value)].items;
  const bool plain =
      given.empty() ||
      (given.size() == 1 && (given[0].kind == PickleKind::none ||
                             (given[0].kind == PickleKind::constructor &&
                              pickle_constructor_name(given[0].value) ==
                                  pickle_constructors::kList)));
  if (!plain) cursor_.refuse("makes a defaultdict of something else than list");
  return make(PickleKind::dict, {});
}

void PickleMachine::construct() {
  const Slot arguments = pop();
  const Slot constructor = pop();
  if (constructor.kind != PickleKind::constructor ||
      arguments.kind != PickleKind::tuple) {
    cursor_.refuse(
        fmt::format("needs a constructor and a tuple, found {} and "
                    "{}; nothing is called",
                    to_string(constructor.kind), to_string(arguments.kind)));
  }
  push(make_object(constructor, arguments));
}

void PickleMachine::set_state() {
  const Slot state = pop();
  require(1);
  hold(state);
  Slot& kept = changeable(stack_.back(), PickleKind::object).items[2];
  if (kept.kind != PickleKind::none) {
    cursor_.refuse("gives an object its state a second time");
  }
  kept = state;
}

void PickleMachine::push_constructor(std::string_view module,
                                     std::string_view name) {
  Slot slot;
  slot.kind = PickleKind::constructor;
  slot.value = find_pickle_constructor(module, name);
  if (slot.value < 0) {
    cursor_.refuse(fmt::format(
        "names '{} {}', which data does not need; it is not executed. Only {} "
        "are read",
        shown(module), shown(name), admitted_pickle_constructors()));
  }
  push(slot);
}

void PickleMachine::put(uint64_t index) {
  require(1);
  memo_.insert_or_assign(index, stack_.back());
}

void PickleMachine::get(uint64_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) {
    cursor_.refuse(fmt::format("asks for value {}, which was not kept", index));
  }
  push(found->second);
}

PickleMachine::Slot PickleMachine::finish() {
  if (stack_.size() != 1 || !marks_.empty()) {
    cursor_.refuse(
        fmt::format("finds {} values and {} open marks, expected "
                    "one value",
                    stack_.size(), marks_.size()));
  }
  return stack_.back();
}

}  // namespace ordered_gnn::core
