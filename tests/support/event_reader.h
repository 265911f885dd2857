#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/file.h"

namespace ordered_gnn::event_reader {

// A reader of TensorBoard's files that shares nothing with the writer.

inline uint32_t bitwise_crc32c(std::string_view bytes) {
  uint32_t crc = ~0u;
  for (const unsigned char byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc & 1) != 0 ? (crc >> 1) ^ 0x82f63b78u : crc >> 1;
    }
  }
  return ~crc;
}

/// Undoes the mask of TFRecord as its readers do.
inline uint32_t unmasked(uint32_t masked) {
  const uint32_t rotated = masked - 0xa282ead8u;
  return rotated >> 17 | rotated << 15;
}

class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }

  std::string_view take(uint64_t count) {
    if (count > rest_.size()) throw std::runtime_error("bytes are missing");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  uint64_t little_endian(int count) {
    uint64_t value = 0;
    int shift = 0;
    for (const unsigned char byte : take(count)) {
      value |= uint64_t{byte} << shift;
      shift += 8;
    }
    return value;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      const auto byte = static_cast<unsigned char>(take(1)[0]);
      value |= uint64_t{byte & 0x7fu} << shift;
      if (byte < 0x80) return value;
    }
    throw std::runtime_error("endless varint");
  }

 private:
  std::string_view rest_;
};

struct Field {
  uint64_t number = 0;
  uint64_t wire_type = 0;
  uint64_t value = 0;  ///< of types 0, 1 and 5
  std::string bytes;   ///< of type 2
};

inline std::vector<Field> parse_message(std::string_view message) {
  std::vector<Field> fields;
  for (Bytes rest(message); !rest.empty();) {
    Field field;
    const uint64_t key = rest.varint();
    field.number = key >> 3;
    field.wire_type = key & 7;
    switch (field.wire_type) {
      case 0:
        field.value = rest.varint();
        break;
      case 1:
        field.value = rest.little_endian(8);
        break;
      case 2:
        field.bytes = rest.take(rest.varint());
        break;
      case 5:
        field.value = rest.little_endian(4);
        break;
      default:
        throw std::runtime_error("unknown wire type");
    }
    fields.push_back(field);
  }
  return fields;
}

/// The one field of this number and type.
inline Field only(const std::vector<Field>& fields, uint64_t number,
                  uint64_t wire_type) {
  std::vector<Field> found;
  for (const Field& field : fields) {
    if (field.number == number) found.push_back(field);
  }
  if (found.size() != 1 || found[0].wire_type != wire_type) {
    throw std::runtime_error("field " + std::to_string(number));
  }
  return found[0];
}

inline std::vector<std::string> read_records(
    const std::filesystem::path& path) {
  const std::string content = core::read_file(path);
  std::vector<std::string> records;
  for (Bytes rest(content); !rest.empty();) {
    const std::string_view header = rest.take(8);
    const uint64_t size = Bytes(header).little_endian(8);
    const auto header_crc = static_cast<uint32_t>(rest.little_endian(4));
    const std::string_view data = rest.take(size);
    const auto data_crc = static_cast<uint32_t>(rest.little_endian(4));
    if (unmasked(header_crc) != bitwise_crc32c(header) ||
        unmasked(data_crc) != bitwise_crc32c(data)) {
      throw std::runtime_error("a checksum differs");
    }
    records.emplace_back(data);
  }
  return records;
}

template <typename T, typename Bits>
T from_bits(Bits bits) {
  static_assert(sizeof(T) == sizeof(Bits));
  T value;
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

struct ScalarEvent {
  double wall_time = 0;
  int64_t step = 0;
  std::map<std::string, float> scalars;
};

/// Events after the first record, which must be that of the version.
/// @throws std::runtime_error for anything a reader of the format refuses.
inline std::vector<ScalarEvent> read_events(const std::filesystem::path& path) {
  const std::vector<std::string> records = read_records(path);
  if (records.empty() ||
      only(parse_message(records[0]), 3, 2).bytes != "brain.Event:2") {
    throw std::runtime_error("no version in the first record");
  }
  std::vector<ScalarEvent> events;
  for (size_t i = 1; i < records.size(); ++i) {
    const std::vector<Field> fields = parse_message(records[i]);
    ScalarEvent event;
    event.wall_time = from_bits<double>(only(fields, 1, 1).value);
    event.step = static_cast<int64_t>(only(fields, 2, 0).value);
    for (const Field& value : parse_message(only(fields, 5, 2).bytes)) {
      if (value.number != 1 || value.wire_type != 2) {
        throw std::runtime_error("no summary value");
      }
      const std::vector<Field> parts = parse_message(value.bytes);
      event.scalars[only(parts, 1, 2).bytes] =
          from_bits<float>(static_cast<uint32_t>(only(parts, 2, 5).value));
    }
    events.push_back(event);
  }
  return events;
}

}  // namespace ordered_gnn::event_reader
