#include "core/io/little_endian.h"
#include "fuzz/mutators/json_values.h"
#include "fuzz/mutators/mutators.h"

namespace ordered_gnn::fuzz {
namespace {

using nlohmann::json;

constexpr size_t kLength = 8;  // of the number before the header

// By a checksum all that is changed would be refused for the same reason.
void drop_checksum(json& header) {
  if (!header.is_object() || !header.contains("__metadata__")) return;
  json& metadata = header["__metadata__"];
  if (metadata.is_object()) metadata.erase("content_sha256");
}

// A tensor of the header that is not empty.
json& tensor_in(json& header, Dice& dice) {
  return *std::next(header.begin(),
                    static_cast<std::ptrdiff_t>(dice.below(header.size())));
}

json some_shape(Dice& dice) {
  json shape = json::array();
  for (size_t dims = dice.below(dice.once_in(8) ? 80 : 4); dims > 0; --dims) {
    shape.push_back(dice.once_in(3) ? dice.extreme() : dice.below(5));
  }
  return shape;
}

json some_type(Dice& dice) {
  static const json kTypes = {"BOOL", "U8",  "I8",   "I16", "I32",
                              "I64",  "F16", "BF16", "F32", "F64"};
  return kTypes[dice.below(kTypes.size())];
}

void mutate_tensor(json& tensor, Dice& dice) {
  if (!tensor.is_object()) return;
  switch (dice.below(3)) {
    case 0:
      tensor["dtype"] = some_type(dice);
      break;
    case 1:
      tensor["shape"] = some_shape(dice);
      break;
    default:
      tensor["data_offsets"] = {dice.once_in(2) ? 0 : dice.extreme(),
                                dice.extreme()};
  }
}

// The tensor's range becomes as long as its type and shape ask for.
void fit_range(json& tensor, std::string& data) {
  if (!tensor.is_object() || !tensor.contains("shape")) return;
  uint64_t count = 8;
  for (const json& size : tensor["shape"]) {
    if (!size.is_number_unsigned() || size > 64) return;
    count *= size.get<uint64_t>();
  }
  if (count > 4096) return;
  tensor["dtype"] = "F64";
  tensor["data_offsets"] = {data.size(), data.size() + count};
  data.append(count, '\1');
}

std::string header_text(const json& header, Dice& dice) {
  std::string text =
      header.dump(-1, ' ', false, json::error_handler_t::replace);
  if (!header.is_object() || header.empty() || !dice.once_in(8)) return text;
  // A key that is there twice has no place in a tree.
  const auto first = header.begin();
  return "{" + json(first.key()).dump() + ":" + first.value().dump() + "," +
         text.substr(1);
}

}  // namespace

std::string mutate_safetensors(std::string_view input, Dice& dice) {
  if (input.size() < kLength) return "";
  const auto length = core::load_le<uint64_t>(input.data());
  if (length > input.size() - kLength) return "";
  json header = json::parse(input.substr(kLength, length), nullptr,
                            /*allow_exceptions=*/false);
  if (header.is_discarded()) return "";
  std::string data(input.substr(kLength + length));
  const bool has_tensors = header.is_object() && !header.empty();
  const size_t way = dice.below(4);
  if (way == 0 || !has_tensors) {
    if (!mutate_json(header, dice)) return "";
  } else if (way == 1) {
    fit_range(
        header["t" + std::to_string(dice.below(9))] = tensor_in(header, dice),
        data);
  } else if (way == 2) {
    mutate_tensor(tensor_in(header, dice), dice);
  } else {
    data.resize(dice.once_in(2) ? data.size() / 2 : data.size() + 1);
  }
  if (!dice.once_in(8)) drop_checksum(header);
  const std::string text = header_text(header, dice);
  std::string out;
  core::append_le(out, uint64_t{text.size()});
  return out + text + data;
}

}  // namespace ordered_gnn::fuzz
