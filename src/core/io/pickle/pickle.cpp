#include "core/io/pickle/pickle.h"

#include <utility>

#include "core/io/pickle/constructors.h"
#include "core/io/pickle/store.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {

const char* to_string(PickleKind kind) {
  return core::word_of(kind, {{PickleKind::none, "None"},
                              {PickleKind::boolean, "a bool"},
                              {PickleKind::integer, "an integer"},
                              {PickleKind::string, "a string"},
                              {PickleKind::constructor, "a constructor"},
                              {PickleKind::list, "a list"},
                              {PickleKind::tuple, "a tuple"},
                              {PickleKind::dict, "a dict"},
                              {PickleKind::object, "an object"}});
}

const std::string& PickleValue::place() const { return store_->place; }

void PickleValue::expect(PickleKind kind) const {
  if (slot_.kind != kind) {
    fail_in(place(), fmt::format("the pickle should hold {} where it holds {}",
                                 to_string(kind), to_string(slot_.kind)));
  }
}

bool PickleValue::boolean() const {
  expect(PickleKind::boolean);
  return slot_.value != 0;
}

int64_t PickleValue::integer() const {
  expect(PickleKind::integer);
  return slot_.value;
}

std::string_view PickleValue::string() const {
  expect(PickleKind::string);
  return std::string_view(store_->bytes)
      .substr(static_cast<size_t>(slot_.value), slot_.size);
}

const std::vector<PickleValue::Slot>& PickleValue::items() const {
  return store_->nodes[static_cast<size_t>(slot_.value)].items;
}

PickleValue PickleValue::item(size_t i) const {
  if (i >= items().size()) {
    fail_in(place(), fmt::format("the pickle should hold {} with {} elements "
                                 "or more where it has {}",
                                 to_string(slot_.kind), i + 1, items().size()));
  }
  return store_->value(items()[i]);
}

size_t PickleValue::size() const {
  if (is(PickleKind::dict)) return items().size() / 2;
  if (!is(PickleKind::tuple)) expect(PickleKind::list);
  return items().size();
}

PickleValue PickleValue::operator[](size_t i) const {
  if (!is(PickleKind::tuple)) expect(PickleKind::list);
  return item(i);
}

std::vector<int64_t> PickleValue::integers() const {
  if (!is(PickleKind::tuple)) expect(PickleKind::list);
  std::vector<int64_t> numbers;
  numbers.reserve(items().size());
  for (const Slot& slot : items()) {
    if (slot.kind != PickleKind::integer) {
      fail_in(place(),
              fmt::format("the pickle should hold {} of integers where element "
                          "{} is {}",
                          to_string(slot_.kind), numbers.size(),
                          to_string(slot.kind)));
    }
    numbers.push_back(slot.value);
  }
  return numbers;
}

PickleValue PickleValue::key(size_t i) const {
  expect(PickleKind::dict);
  return item(2 * i);
}

PickleValue PickleValue::value(size_t i) const {
  expect(PickleKind::dict);
  return item(2 * i + 1);
}

std::optional<PickleValue> PickleValue::find(std::string_view wanted) const {
  expect(PickleKind::dict);
  for (size_t i = size(); i > 0; --i) {
    const PickleValue candidate = key(i - 1);
    if (candidate.is(PickleKind::string) && candidate.string() == wanted) {
      return value(i - 1);
    }
  }
  return std::nullopt;
}

std::string_view PickleValue::constructor() const {
  if (is(PickleKind::object)) return item(0).constructor();
  expect(PickleKind::constructor);
  return pickle_constructor_name(slot_.value);
}

PickleValue PickleValue::arguments() const {
  expect(PickleKind::object);
  return item(1);
}

PickleValue PickleValue::state() const {
  expect(PickleKind::object);
  return item(2);
}

Pickle::Pickle(std::shared_ptr<const PickleStore> store)
    : store_(std::move(store)) {}

PickleValue Pickle::root() const& { return store_->value(store_->root); }

}  // namespace ordered_gnn::core
