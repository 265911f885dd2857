#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ordered_gnn::core {

enum class PickleKind : uint8_t {
  none,
  boolean,
  integer,
  string,  ///< str, bytes or unicode: the bytes as they are stored
  constructor,
  list,
  tuple,
  dict,
  object
};

/// "a list", "an integer": for messages.
const char* to_string(PickleKind kind);

struct PickleStore;

/// One value of a parsed pickle: a small handle, valid while its Pickle lives.
/// Every accessor throws an Error that names the file and says what was
/// expected and found when the value is of another kind.
class PickleValue {
 public:
  PickleKind kind() const { return slot_.kind; }
  bool is(PickleKind kind) const { return slot_.kind == kind; }
  /// Names the file in errors.
  const std::string& place() const;

  bool boolean() const;
  int64_t integer() const;
  std::string_view string() const;

  /// Elements of a list or tuple, pairs of a dict.
  size_t size() const;
  /// Element i of a list or tuple.
  PickleValue operator[](size_t i) const;
  /// A list or tuple of integers as a whole; names the first other element.
  std::vector<int64_t> integers() const;

  /// Pair i of a dict, in file order; keys may repeat.
  PickleValue key(size_t i) const;
  PickleValue value(size_t i) const;
  /// The value of a dict's string key, the last one when it repeats.
  std::optional<PickleValue> find(std::string_view key) const;

  /// "module name" of a constructor or of the one an object is made with,
  /// in its oldest spelling, for example "numpy.core.multiarray _reconstruct".
  std::string_view constructor() const;
  /// What an object's constructor would be called with: a tuple.
  PickleValue arguments() const;
  /// What would be given to the object's `__setstate__`, or none.
  PickleValue state() const;

 private:
  friend struct PickleStore;
  struct Slot {
    PickleKind kind = PickleKind::none;
    uint32_t size = 0;  // bytes of a string
    int64_t value = 0;  // number, offset of a string, index of all others
  };
  PickleValue(const PickleStore* store, const Slot& slot)
      : store_(store), slot_(slot) {}
  void expect(PickleKind kind) const;
  const std::vector<Slot>& items() const;
  PickleValue item(size_t i) const;

  const PickleStore* store_;
  Slot slot_;
};

/// A parsed pickle; owns all its values. They form no cycles.
class Pickle {
 public:
  explicit Pickle(std::shared_ptr<const PickleStore> store);
  PickleValue root() const&;
  PickleValue root() && = delete;  // the value would outlive its owner

 private:
  std::shared_ptr<const PickleStore> store_;
};

/// Parses a Python pickle of protocol 2, 3 or 4 into a tree of values. Nothing
/// is imported, called or executed: an "object" is the name of its constructor
/// with the values it would be given. Admitted are only the opcodes of plain
/// data and the constructors of NumPy arrays, SciPy CSR matrices and
/// `defaultdict(list)`, which is read as a dict. Time and memory are bounded by
/// a small multiple of the number of bytes, whatever they say, and by the
/// memory that is left.
///
/// @param place  names the bytes in errors.
/// @throws Error with opcode and byte offset for anything else: another
///         opcode, constructor or protocol, a length beyond the bytes, a
///         container that would contain itself, bytes missing or left over.
Pickle parse_pickle(std::string bytes, const std::string& place);

/// The same for a file of at most 1 GiB, plain or gzipped (told by its first
/// bytes).
Pickle read_pickle(const std::filesystem::path& path);

}  // namespace ordered_gnn::core
