#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/name_index.h"
#include "data/tables/table.h"

namespace ordered_gnn::data {

/// Reads the cells of one column from top to bottom and finds out what they
/// are:
///   number    all cells are numbers (with a point or all with a comma) or
///             missing words; only 0 and 1: yes_no
///   date      all cells are dates in one order or missing words
///   yes_no    two words that mean no and yes
///   category  words that come twice or more on average, at most 1000
///   text      everything else, and columns without any value
/// What was asked for is taken without a look; cells that do not fit it are
/// missing, and counted.
class ColumnReader {
 public:
  ColumnReader(std::string name, std::optional<AskedKind> asked);
  ColumnReader(const ColumnReader&) = delete;  // index_ knows where words_ is
  ColumnReader& operator=(const ColumnReader&) = delete;

  /// Decides from the first cells what to try. To be called once, before add().
  /// @param num_cells  about how many will be added.
  void guess(const std::vector<std::string_view>& sample, size_t num_cells);
  void add(std::string_view cell, int64_t line);
  /// True when a cell did not fit the guess: restart() and add all cells again.
  bool must_read_again() const {
    return misfit_line_ > 0 && !reading_again_ && !asked_;
  }
  void restart();

  /// Adds to `notes` what can surprise.
  TableColumn finish(std::vector<std::string>& notes);

 private:
  enum class Form { number, decimal_comma, date, words };
  bool parse(std::string_view cell, double& value) const;
  void add_value(std::string_view cell, int64_t line);
  void add_word(std::string_view cell);
  void choose_form(const std::vector<std::string_view>& sample);
  void expect_cells();
  bool tries(Form form, const std::vector<std::string_view>& sample);
  bool is_asked(ColumnKind kind) const {
    return asked_ && asked_->kind == kind;
  }
  void finish_numbers(TableColumn& out);
  void finish_words(TableColumn& out);
  bool become_yes_no(TableColumn& out);
  int64_t count_numbers() const;
  void note_misfit(std::vector<std::string>& notes,
                   const TableColumn& out) const;

  std::string name_;
  std::optional<AskedKind> asked_;
  Form form_ = Form::words;
  DateOrder order_ = DateOrder::year_first;
  bool order_is_open_ = false;  // another order fits the sample as well
  bool reading_again_ = false;

  size_t num_expected_ = 0;
  int64_t num_cells_ = 0;
  int64_t num_values_ = 0;
  std::vector<double> numbers_;
  std::vector<int32_t> codes_;
  std::vector<std::string> words_;
  std::vector<int64_t> counts_;
  NameIndex index_;  // of words_
  bool too_many_words_ = false;

  int64_t num_misfits_ = 0;  // cells that are taken as missing
  int64_t misfit_line_ = 0;
  std::string misfit_;
};

}  // namespace ordered_gnn::data
