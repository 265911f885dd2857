#pragma once
#include <map>
#include <random>
#include <string>

namespace ordered_gnn::mutations {

/// The content of files by their paths below a folder.
using Files = std::map<std::string, std::string>;

/// Damages some bytes: flips, cuts, extends, takes out, repeats or exchanges
/// parts, puts in a part of `other`, or replaces a number by an extreme one.
/// The same `random` does the same damage.
/// @param how  gets what was done.
std::string damaged(const std::string& content, const std::string& other,
                    std::mt19937_64& random, std::string& how);

/// The files with one of them damaged or missing. Entries of an `.npz` are
/// damaged inside an intact archive in half of the cases, for its checksums
/// would have them refused unread.
Files damaged_files(const Files& files, std::mt19937_64& random,
                    std::string& how);

}  // namespace ordered_gnn::mutations
