#include "core/io/text/quick_decimal.h"

#include <charconv>
#include <cmath>
#include <random>
#include <string>

#include "core/io/io_support.h"

namespace ordered_gnn::core {
namespace {

// Digits with at most one point among them and perhaps a minus before.
bool is_plain_decimal(std::string text) {
  if (!text.empty() && text.front() == '-') text.erase(0, 1);
  const size_t point = text.find('.');
  if (point != std::string::npos) text.erase(point, 1);
  return !text.empty() && text.size() <= 15 &&
         text.find_first_not_of("0123456789") == std::string::npos;
}

void check_decimal(const std::string& text) {
  // The exact bytes, so that a sanitizer sees a look beyond them.
  const std::vector<char> bytes(text.begin(), text.end());
  double value = 0;
  const bool taken = quick_decimal({bytes.data(), bytes.size()}, value);
  const bool fits = text.size() <= 17 && is_plain_decimal(text);
  ASSERT_EQ(taken, fits) << "'" << text << "'";
  if (!taken) return;
  double want = 0;
  std::from_chars(text.data(), text.data() + text.size(), want);
  ASSERT_EQ(value, want) << text;
  ASSERT_EQ(std::signbit(value), std::signbit(want)) << text;
}

TEST(QuickDecimal, TakesExactlyPlainDecimals) {
  const std::string alphabet = "-.059/:e \xB0";
  std::vector<std::string> texts = {""};
  for (size_t begin = 0, length = 1; length <= 4; ++length) {
    const size_t end = texts.size();
    for (; begin < end; ++begin) {
      for (const char c : alphabet) texts.push_back(texts[begin] + c);
    }
  }
  for (const std::string& text : texts) check_decimal(text);
}

TEST(QuickDecimal, GivesTheNearestNumberOfEveryLength) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string text(1 + random() % 18, '0');
    for (char& c : text) c = static_cast<char>('0' + random() % 10);
    if (random() % 2 == 0) text[random() % text.size()] = '.';
    if (random() % 3 == 0) text[0] = '-';
    if (random() % 10 == 0) text[random() % text.size()] = 'x';
    check_decimal(text);
  }
}

}  // namespace
}  // namespace ordered_gnn::core
