#include "lab/serve/access.h"

#include <arpa/inet.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <sys/stat.h>

#include <algorithm>

#include "core/affixes.h"
#include "core/io/file.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kLeastToken = 16;
constexpr int64_t kMostTokenFile = 4096;

// What follows the scheme, whose case does not matter.
std::string after_scheme(const std::string& authorization,
                         const std::string& scheme) {
  const std::string start = authorization.substr(0, scheme.size() + 1);
  return core::lower_case(start) == scheme + " "
             ? authorization.substr(scheme.size() + 1)
             : "";
}

// The password of "user:password" in base64.
std::string basic_password(const std::string& encoded) {
  if (encoded.empty() || encoded.size() % 4 != 0 ||
      encoded.size() > kMostTokenFile) {
    return "";
  }
  std::string out(encoded.size(), '\0');
  const int size =
      EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                      reinterpret_cast<const unsigned char*>(encoded.data()),
                      static_cast<int>(encoded.size()));
  if (size < 0) return "";
  const auto padding =
      static_cast<size_t>(std::count(encoded.end() - 2, encoded.end(), '='));
  out.resize(static_cast<size_t>(size) - padding);
  const size_t colon = out.find(':');
  return colon == std::string::npos ? "" : out.substr(colon + 1);
}

// "name", "name:port", "1.2.3.4:port" or "[::1]:port" without the port.
std::string without_port(const std::string& host) {
  const size_t bracket = host.find(']');
  if (bracket != std::string::npos) return host.substr(0, bracket + 1);
  return host.substr(0, host.find(':'));
}

bool is_address(const std::string& name) {
  in6_addr parsed{};
  if (core::starts_with(name, "[") && core::ends_with(name, "]")) {
    return ::inet_pton(AF_INET6, name.substr(1, name.size() - 2).c_str(),
                       &parsed) == 1;
  }
  return ::inet_pton(AF_INET, name.c_str(), &parsed) == 1;
}

}  // namespace

Access Access::from_file(const std::filesystem::path& file) {
  Access out;
  out.token_ = core::read_file(file, kMostTokenFile);
  while (!out.token_.empty() &&
         (out.token_.back() == '\n' || out.token_.back() == '\r')) {
    out.token_.pop_back();
  }
  struct stat found {};
  if (::stat(file.c_str(), &found) == 0 &&
      (found.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    fail_in(file, "others may write to this token; chmod 600 it");
  }
  const bool is_word =
      std::all_of(out.token_.begin(), out.token_.end(),
                  [](char c) { return c > ' ' && c < '\x7f'; });
  if (!is_word || out.token_.size() < kLeastToken) {
    fail_in(file,
            fmt::format("a token is one line of at least {} characters without "
                        "blanks, as 'openssl rand -hex 32' writes one",
                        kLeastToken));
  }
  return out;
}

std::string secret_note(const std::filesystem::path& file) {
  struct stat found {};
  if (::stat(file.c_str(), &found) != 0 || (found.st_mode & S_IROTH) == 0) {
    return "";
  }
  return fmt::format(
      "{}: every user of this machine may read this secret; chmod 600 it",
      file.string());
}

bool Access::allows(const std::string& authorization) const {
  if (is_open()) return true;
  std::string given = after_scheme(authorization, "bearer");
  if (given.empty()) {
    given = basic_password(after_scheme(authorization, "basic"));
  }
  return given.size() == token_.size() &&
         CRYPTO_memcmp(given.data(), token_.data(), token_.size()) == 0;
}

bool Access::knows_host(const std::string& host) const {
  // HTTP/1.0 has no Host; browsers always send one.
  if (!is_open() || host.empty()) return true;
  const std::string name = core::lower_case(without_port(host));
  return name == "localhost" || is_address(name);
}

}  // namespace ordered_gnn::lab
