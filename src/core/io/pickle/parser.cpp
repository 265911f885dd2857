#include <array>
#include <memory>
#include <utility>

#include "core/io/gzip_input.h"
#include "core/io/pickle/cursor.h"
#include "core/io/pickle/machine.h"
#include "core/io/pickle/store.h"
#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn::core {
namespace {

using Slot = PickleStore::Slot;

constexpr uint8_t kProto = 0x80;
constexpr uint8_t kStop = '.';
constexpr int64_t kMaxBytes = int64_t{1} << 30;
// A byte of the file can make a container: how often the memory that is left is
// looked at, and about what a container takes.
constexpr int64_t kOpcodesPerLook = int64_t{1} << 18;
constexpr int64_t kBytesPerOpcode = 64;

struct Step {
  PickleCursor& in;
  PickleMachine& machine;
  const PickleStore& store;
};

void push_integer(const Step& step, int64_t number) {
  step.machine.push({PickleKind::integer, 0, number});
}

void push_bool(const Step& step, bool value) {
  step.machine.push({PickleKind::boolean, 0, value ? 1 : 0});
}

// Length is the type of the number before the bytes. The format's one signed
// length is read unsigned: a negative one is beyond any file that is read.
template <typename Length>
void push_string(const Step& step) {
  const auto length = step.in.number<Length>();
  const size_t offset = step.in.take(static_cast<size_t>(length));
  step.machine.push({PickleKind::string, static_cast<uint32_t>(length),
                     static_cast<int64_t>(offset)});
}

void global(const Step& step) {
  const std::string_view module = step.in.line();
  const std::string_view name = step.in.line();
  step.machine.push_constructor(module, name);
}

void stack_global(const Step& step) {
  const Slot name = step.machine.pop();
  const Slot module = step.machine.pop();
  if (name.kind != PickleKind::string || module.kind != PickleKind::string) {
    step.in.refuse("needs two strings");
  }
  step.machine.push_constructor(step.store.value(module).string(),
                                step.store.value(name).string());
}

// A frame only says how much a reader may fetch at once.
void frame(const Step& step) {
  const auto length = step.in.number<uint64_t>();
  if (length > step.in.remaining()) {
    step.in.refuse(
        fmt::format("announces {} bytes but {} are left; the data "
                    "is truncated or damaged",
                    length, step.in.remaining()));
  }
}

struct Opcode {
  uint8_t code;
  const char* name;
  void (*run)(const Step&);
};

// Everything else, most of all what could call code, is refused.
constexpr Opcode kOpcodes[] = {
    {'N', "NONE", [](const Step& s) { s.machine.push({}); }},
    {0x88, "NEWTRUE", [](const Step& s) { push_bool(s, true); }},
    {0x89, "NEWFALSE", [](const Step& s) { push_bool(s, false); }},
    {'K', "BININT1",
     [](const Step& s) { push_integer(s, s.in.number<uint8_t>()); }},
    {'M', "BININT2",
     [](const Step& s) { push_integer(s, s.in.number<uint16_t>()); }},
    {'J', "BININT",
     [](const Step& s) { push_integer(s, s.in.number<int32_t>()); }},
    {'U', "SHORT_BINSTRING", &push_string<uint8_t>},
    {'T', "BINSTRING", &push_string<uint32_t>},
    {'X', "BINUNICODE", &push_string<uint32_t>},
    {0x8c, "SHORT_BINUNICODE", &push_string<uint8_t>},
    {'C', "SHORT_BINBYTES", &push_string<uint8_t>},
    {'B', "BINBYTES", &push_string<uint32_t>},
    {'(', "MARK", [](const Step& s) { s.machine.mark(); }},
    {')', "EMPTY_TUPLE", [](const Step& s) { s.machine.tuple(0); }},
    {0x85, "TUPLE1", [](const Step& s) { s.machine.tuple(1); }},
    {0x86, "TUPLE2", [](const Step& s) { s.machine.tuple(2); }},
    {0x87, "TUPLE3", [](const Step& s) { s.machine.tuple(3); }},
    {'t', "TUPLE", [](const Step& s) { s.machine.tuple_to_mark(); }},
    {']', "EMPTY_LIST",
     [](const Step& s) { s.machine.push_new(PickleKind::list); }},
    {'a', "APPEND",
     [](const Step& s) { s.machine.extend(PickleKind::list, 1); }},
    {'e', "APPENDS",
     [](const Step& s) { s.machine.extend_to_mark(PickleKind::list); }},
    {'}', "EMPTY_DICT",
     [](const Step& s) { s.machine.push_new(PickleKind::dict); }},
    {'s', "SETITEM",
     [](const Step& s) { s.machine.extend(PickleKind::dict, 2); }},
    {'u', "SETITEMS",
     [](const Step& s) { s.machine.extend_to_mark(PickleKind::dict); }},
    {'c', "GLOBAL", &global},
    {0x93, "STACK_GLOBAL", &stack_global},
    {'R', "REDUCE", [](const Step& s) { s.machine.construct(); }},
    {0x81, "NEWOBJ", [](const Step& s) { s.machine.construct(); }},
    {'b', "BUILD", [](const Step& s) { s.machine.set_state(); }},
    {'q', "BINPUT",
     [](const Step& s) { s.machine.put(s.in.number<uint8_t>()); }},
    {'r', "LONG_BINPUT",
     [](const Step& s) { s.machine.put(s.in.number<uint32_t>()); }},
    {0x94, "MEMOIZE", [](const Step& s) { s.machine.put_next(); }},
    {'h', "BINGET",
     [](const Step& s) { s.machine.get(s.in.number<uint8_t>()); }},
    {'j', "LONG_BINGET",
     [](const Step& s) { s.machine.get(s.in.number<uint32_t>()); }},
    {0x95, "FRAME", &frame},
};

std::array<const Opcode*, 256> opcodes_by_code() {
  std::array<const Opcode*, 256> table{};
  for (const Opcode& opcode : kOpcodes) table[opcode.code] = &opcode;
  return table;
}

void read_protocol(PickleCursor& in) {
  if (in.start_opcode() != kProto) {
    in.refuse("is not PROTO; this is no pickle of protocol 2 to 4");
  }
  in.set_name("PROTO");
  const auto protocol = in.number<uint8_t>();
  if (protocol < 2 || protocol > 4) {
    in.refuse(
        fmt::format("states protocol {}; protocols 2 to 4 are read, so "
                    "save the data again with protocol=4",
                    protocol));
  }
}

Slot run(const Step& step) {
  static const std::array<const Opcode*, 256> table = opcodes_by_code();
  for (int64_t count = 1;; ++count) {
    if (count % kOpcodesPerLook == 0) {
      require_memory(kOpcodesPerLook * kBytesPerOpcode, step.store.place,
                     "what the pickle holds from here on");
    }
    const uint8_t code = step.in.start_opcode();
    if (code == kStop) break;
    const Opcode* const opcode = table[code];
    if (opcode == nullptr) {
      const bool printable = code >= ' ' && code <= '~';
      step.in.set_name("an opcode");
      step.in.refuse(fmt::format(
          "is 0x{:02x}{}, which plain data does not need; the file is not "
          "executed and read no further",
          code, printable ? fmt::format(" ('{:c}')", code) : ""));
    }
    step.in.set_name(opcode->name);
    opcode->run(step);
  }
  step.in.set_name("STOP");
  if (step.in.remaining() > 0) {
    step.in.refuse(
        fmt::format("is followed by {} more bytes; expected the "
                    "end of the data",
                    step.in.remaining()));
  }
  return step.machine.finish();
}

}  // namespace

Pickle parse_pickle(std::string bytes, const std::string& place) {
  auto store = std::make_shared<PickleStore>();
  store->bytes = std::move(bytes);
  store->place = place;
  PickleCursor in(store->bytes, store->place);
  PickleMachine machine(*store, in);
  read_protocol(in);
  store->root = run({in, machine, *store});
  return Pickle(std::move(store));
}

Pickle read_pickle(const std::filesystem::path& path) {
  return parse_pickle(read_plain_or_gzipped(path, kMaxBytes), path.string());
}

}  // namespace ordered_gnn::core
