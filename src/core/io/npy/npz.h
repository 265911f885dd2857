#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ordered_gnn::core {

/// A NumPy `.npz` archive: zip entries, stored or deflated, ZIP64 allowed.
/// The directory is read once; arrays are read on demand. Sizes in the zip
/// directory are never trusted: an entry that inflates to more or less than it
/// states, or whose CRC differs, is an Error.
class NpzReader {
 public:
  /// @throws Error when the file is missing, no zip, truncated, or encrypted.
  explicit NpzReader(const std::filesystem::path& path);
  ~NpzReader();

  const std::filesystem::path& path() const;
  /// Array names without ".npy", in file order.
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;
  /// All entries with their full names ("x.npy", "meta.json"), in file order.
  std::vector<std::string> entries() const;
  /// @throws Error when there is no such array (listing those there are), or
  ///         as parse_npy() does.
  at::Tensor read(const std::string& name) const;
  /// The raw bytes of one entry, the full entry name included ("x.npy").
  std::string read_bytes(const std::string& entry) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Writes an `.npz`; the file appears when finish() returns.
class NpzWriter {
 public:
  enum class Compression { stored, deflated };
  explicit NpzWriter(const std::filesystem::path& path,
                     Compression compression = Compression::stored);
  ~NpzWriter();

  void add(const std::string& name, const at::Tensor& values);
  /// Adds a matrix whose rows lie in different places, without putting them
  /// together in memory first.
  /// @throws Error when a row does not have the bytes of `row_size` elements.
  void add_rows(const std::string& name, at::ScalarType type, int64_t row_size,
                const std::vector<std::string_view>& rows);
  /// Adds an entry that is no array, for example "meta.json".
  void add_bytes(const std::string& entry, std::string_view bytes);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ordered_gnn::core
