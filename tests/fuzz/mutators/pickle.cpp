#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/io/little_endian.h"
#include "fuzz/mutators/mutators.h"

namespace ordered_gnn::fuzz {
namespace {

// What follows an opcode.
struct Form {
  std::string_view opcodes;
  size_t number = 0;       // bytes of a number
  bool is_length = false;  // the number is that of the bytes that follow
  size_t lines = 0;
};

constexpr std::array<Form, 8> kForms = {{
    {"Nt]e}uasRb()Q012.\x81\x85\x86\x87\x88\x89\x8f\x90\x91\x93\x94"},
    {"Kqh\x80\x82", 1},
    {"M\x83", 2},
    {"Jjr\x84", 4},
    {"G\x95", 8},
    {"UC\x8c\x8a", 1, true},
    {"TXB\x8b", 4, true},
    {"c", 0, false, 2},
}};

const Form* form_of(char opcode) {
  const auto found =
      std::find_if(kForms.begin(), kForms.end(), [&](const Form& form) {
        return form.opcodes.find(opcode) != std::string_view::npos;
      });
  return found == kForms.end() ? nullptr : &*found;
}

uint64_t number_at(std::string_view bytes, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) {
    number |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return number;
}

// Bytes of the opcode that `rest` begins with; all of it when it is unknown or
// cut.
size_t opcode_size(std::string_view rest) {
  const Form* const form = form_of(rest.front());
  if (form == nullptr) return rest.size();
  size_t size = 1 + form->number;
  if (form->is_length && size <= rest.size()) {
    const uint64_t length = number_at(rest.substr(1), form->number);
    if (length > rest.size() - size) return rest.size();
    size += static_cast<size_t>(length);
  }
  for (size_t line = 0; line < form->lines; ++line) {
    const size_t end = rest.find('\n', size);
    if (end == std::string_view::npos) return rest.size();
    size = end + 1;
  }
  return std::min(size, rest.size());
}

std::vector<std::string> opcodes_of(std::string_view input) {
  std::vector<std::string> opcodes;
  while (!input.empty()) {
    const size_t size = opcode_size(input);
    opcodes.emplace_back(input.substr(0, size));
    input.remove_prefix(size);
  }
  return opcodes;
}

void set_number(std::string& opcode, size_t size, uint64_t number) {
  std::string bytes;
  core::append_le(bytes, number);
  opcode.replace(1, size, bytes, 0, size);
}

// Another number: of a value, of a place in the memo, or a length, whose bytes
// follow it in half of all cases.
void mutate_number(std::string& opcode, Dice& dice) {
  const Form* const form = form_of(opcode.front());
  if (form == nullptr || opcode.size() < 1 + form->number) return;
  if (form->number == 0) return;
  const uint64_t before =
      number_at(std::string_view(opcode).substr(1), form->number);
  const uint64_t number = dice.once_in(2) ? dice.extreme() : before + 1;
  set_number(opcode, form->number, number);
  constexpr uint64_t kMostFilled = 300;
  if (form->is_length && number <= kMostFilled && dice.once_in(2)) {
    opcode.resize(1 + form->number + static_cast<size_t>(number), 'a');
    set_number(opcode, form->number, opcode.size() - 1 - form->number);
  }
}

// Another opcode of the same form.
void mutate_code(std::string& opcode, Dice& dice) {
  const Form* const form = form_of(opcode.front());
  if (form == nullptr) return;
  opcode[0] = form->opcodes[dice.below(form->opcodes.size())];
}

}  // namespace

std::string mutate_pickle(std::string_view input, Dice& dice) {
  std::vector<std::string> opcodes = opcodes_of(input);
  if (opcodes.size() < 3) return "";
  // Mostly between PROTO and STOP, which every pickle has.
  const auto some = [&] { return 1 + dice.below(opcodes.size() - 1); };
  const auto at = [&](size_t place) {
    return opcodes.begin() + static_cast<std::ptrdiff_t>(place);
  };
  switch (dice.below(5)) {
    case 0:
      std::swap(opcodes[some()], opcodes[some()]);
      break;
    case 1: {
      const size_t times = dice.once_in(8) ? 200 : 1 + dice.below(3);
      const std::string copy = opcodes[some()];
      opcodes.insert(at(some()), times, copy);
      break;
    }
    case 2:
      opcodes.erase(at(some()));
      break;
    case 3:
      mutate_number(opcodes[some()], dice);
      break;
    default:
      mutate_code(opcodes[some()], dice);
  }
  std::string out;
  for (const std::string& opcode : opcodes) out += opcode;
  return out;
}

}  // namespace ordered_gnn::fuzz
