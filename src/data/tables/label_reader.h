#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/formats/name_index.h"
#include "data/tables/table_reader.h"

namespace ordered_gnn::data {

/// What is known of the classes before labels are read.
struct KnownClasses {
  std::vector<std::string> names;      ///< empty: not known
  std::optional<int64_t> num_classes;  ///< labels are class numbers below it
};

/// Labels as users write them: an empty cell, or the text `unlabelled`, is a
/// node without a label; anything else is a class.
class LabelReader : public CellSink {
 public:
  explicit LabelReader(std::string unlabelled = "")
      : unlabelled_(std::move(unlabelled)) {}
  LabelReader(const LabelReader&) = delete;  // index_ knows where words_ is
  LabelReader& operator=(const LabelReader&) = delete;
  void expect(size_t num_cells) override { codes_.reserve(num_cells); }
  void add(std::string_view cell, int64_t line) override;

  struct Labels {
    std::vector<int64_t> by_row;  ///< class, or -1
    int64_t num_classes = 0;
    /// Empty when the classes are the numbers 0 .. C-1.
    std::vector<std::string> class_names;
  };

  /// Numbers the classes. Known names or a known number of them decide; else
  /// the classes are the texts that occur, in the order of their numbers when
  /// all are numbers, of their texts otherwise: 1000 and 2000 are two classes
  /// of these names.
  /// @param notes  gets what makes the labels look like no classes: more than
  ///               100 of them, numbers with fractions, a -1 among others.
  /// @throws Error naming file and line for a label that is not among known
  ///         classes.
  Labels finish(const std::filesystem::path& file, const KnownClasses& known,
                std::vector<std::string>& notes) const;

 private:
  std::vector<int64_t> class_of_words(const std::filesystem::path& file,
                                      const KnownClasses& known,
                                      Labels& out) const;
  void add_notes(const Labels& out, std::vector<std::string>& notes) const;

  std::string unlabelled_;
  std::vector<int64_t> codes_;      // by row: -1 or position in words_
  std::vector<std::string> words_;  // the different labels
  std::vector<int64_t> lines_;      // where each was first
  NameIndex index_;                 // of words_
};

}  // namespace ordered_gnn::data
