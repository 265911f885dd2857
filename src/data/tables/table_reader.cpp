#include "data/tables/table_reader.h"

#include <algorithm>
#include <deque>

#include "data/tables/column_reader.h"

namespace ordered_gnn::data {
namespace {

constexpr size_t kSampleRows = 2000;

[[noreturn]] void fail_fields(const DelimitedText& text, int64_t line,
                              size_t found) {
  fail_at(
      {text.file(), line},
      fmt::format("expected {} fields as in the header, got {}; a field "
                  "that holds the delimiter '{}' must be in quotes",
                  text.header().size(), found,
                  text.delimiter() == '\t' ? std::string("tab")
                                           : std::string(1, text.delimiter())));
}

// Calls use(fields, line) for every record, which must fit the header.
// @return  how many bytes are left.
template <typename Use>
size_t for_records(const DelimitedText& text, size_t most, const Use& use) {
  RecordReader records(text);
  std::vector<std::string_view> fields;
  for (size_t row = 0; row < most && records.next(fields); ++row) {
    if (fields.size() != text.header().size()) {
      fail_fields(text, records.record_line(), fields.size());
    }
    use(fields, records.record_line());
  }
  return records.rest().size();
}

class TableReading {
 public:
  TableReading(const DelimitedText& text, const TableRequest& request)
      : text_(text), request_(request) {
    for (const std::string& name : request.drop) {
      dropped_.push_back(text.require_column(name, "--drop"));
    }
    for (const auto& [name, kind] : request.asked) {
      text.require_column(name, "--column");
    }
    for (size_t i = 0; i < text.header().size(); ++i) {
      const bool is_dropped =
          std::find(dropped_.begin(), dropped_.end(), i) != dropped_.end();
      if (is_dropped || request.sinks.count(i) > 0) continue;
      const std::string& name = text.header()[i];
      const auto asked = request.asked.find(name);
      columns_.emplace_back(i, name,
                            asked == request.asked.end()
                                ? std::optional<AskedKind>()
                                : asked->second);
    }
  }

  Table read(std::vector<std::string>& notes) {
    guess_all();
    read_all();
    read_again();
    Table table;
    table.num_rows = num_rows_;
    for (Entry& entry : columns_) {
      table.columns.push_back(entry.reader.finish(notes));
    }
    return table;
  }

 private:
  struct Entry {
    Entry(size_t at, const std::string& name, std::optional<AskedKind> asked)
        : position(at), reader(name, asked) {}
    size_t position;
    ColumnReader reader;
  };

  void guess_all() {
    std::deque<std::string> kept;  // records move on, the sample stays
    std::vector<std::vector<std::string_view>> samples(columns_.size());
    size_t num_rows = 0;
    const size_t rest =
        for_records(text_, kSampleRows,
                    [&](const std::vector<std::string_view>& fields, int64_t) {
                      for (size_t c = 0; c < columns_.size(); ++c) {
                        samples[c].push_back(
                            kept.emplace_back(fields[columns_[c].position]));
                      }
                      ++num_rows;
                    });
    const size_t expected = num_rows + rows_in(rest, num_rows);
    for (size_t c = 0; c < columns_.size(); ++c) {
      columns_[c].reader.guess(samples[c], expected);
    }
    for (const auto& [position, sink] : request_.sinks) sink->expect(expected);
  }

  // About how many rows `rest` bytes hold, rather too many than too few, when
  // the bytes before them hold `num_rows`.
  size_t rows_in(size_t rest, size_t num_rows) const {
    const size_t read = text_.body().size() - rest;
    if (read == 0 || rest == 0) return 0;
    const double per_byte =
        static_cast<double>(num_rows) / static_cast<double>(read);
    return static_cast<size_t>(1.05 * per_byte * static_cast<double>(rest));
  }

  void read_all() {
    constexpr size_t kAll = static_cast<size_t>(-1);
    for_records(text_, kAll,
                [&](const std::vector<std::string_view>& fields, int64_t line) {
                  for (const auto& [position, sink] : request_.sinks) {
                    sink->add(fields[position], line);
                  }
                  for (Entry& entry : columns_) {
                    entry.reader.add(fields[entry.position], line);
                  }
                  ++num_rows_;
                });
  }

  void read_again() {
    constexpr size_t kAll = static_cast<size_t>(-1);
    for (;;) {
      std::vector<Entry*> wrong;
      for (Entry& entry : columns_) {
        if (entry.reader.must_read_again()) wrong.push_back(&entry);
      }
      if (wrong.empty()) return;
      for (Entry* entry : wrong) entry->reader.restart();
      for_records(
          text_, kAll,
          [&](const std::vector<std::string_view>& fields, int64_t line) {
            for (Entry* entry : wrong) {
              entry->reader.add(fields[entry->position], line);
            }
          });
    }
  }

  const DelimitedText& text_;
  const TableRequest& request_;
  std::vector<size_t> dropped_;
  std::deque<Entry> columns_;  // a reader cannot be moved
  int64_t num_rows_ = 0;
};

}  // namespace

Table read_table(const DelimitedText& text, const TableRequest& request,
                 std::vector<std::string>& notes) {
  return TableReading(text, request).read(notes);
}

}  // namespace ordered_gnn::data
