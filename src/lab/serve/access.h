#pragma once
#include <filesystem>
#include <string>

namespace ordered_gnn::lab {

/// Who may ask. A token comes as `Authorization: Bearer TOKEN`, or as the
/// password of `Basic`, which browsers ask for.
class Access {
 public:
  /// Everybody may.
  Access() = default;
  /// @throws Error when the file cannot be read, others may write to it, or it
  ///         does not hold one word of at least 16 characters.
  static Access from_file(const std::filesystem::path& file);

  bool is_open() const { return token_.empty(); }
  /// Takes as long for every token of the right length.
  bool allows(const std::string& authorization) const;

 private:
  std::string token_;
};

}  // namespace ordered_gnn::lab
