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
  /// Whether a client may call the server so: with a token by any name, without
  /// one as localhost or by an address. A web page that let its own name lead
  /// to this machine could otherwise ask with the rights of who looks at it.
  bool knows_host(const std::string& host) const;

 private:
  std::string token_;
};

/// What an operator should know of a file that holds a secret; nothing when
/// only its owner and group may read it.
std::string secret_note(const std::filesystem::path& file);

}  // namespace ordered_gnn::lab
