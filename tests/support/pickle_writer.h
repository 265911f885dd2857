#pragma once
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// Writes the pickles that tests read: every function returns the bytes of one
/// value, and file() makes a pickle of it. Arrays and matrices are written as
/// NumPy and SciPy under Python 2 do.
namespace ordered_gnn::pickled {

template <typename T>
std::string little_endian(T number) {
  return std::string(reinterpret_cast<const char*>(&number), sizeof(T));
}

/// PROTO, the value and STOP.
inline std::string file(const std::string& value, int protocol = 2) {
  return std::string("\x80") + static_cast<char>(protocol) + value + ".";
}

inline std::string none() { return "N"; }
inline std::string boolean(bool value) { return value ? "\x88" : "\x89"; }

inline std::string integer(int64_t number) {
  if (number >= 0 && number < 256) {
    return "K" + little_endian(static_cast<uint8_t>(number));
  }
  if (number >= 0 && number < 65536) {
    return "M" + little_endian(static_cast<uint16_t>(number));
  }
  return "J" + little_endian(static_cast<int32_t>(number));
}

inline std::string text(const std::string& bytes) {
  if (bytes.size() < 256) {
    return "U" + little_endian(static_cast<uint8_t>(bytes.size())) + bytes;
  }
  return "T" + little_endian(static_cast<uint32_t>(bytes.size())) + bytes;
}

inline std::string joined(const std::vector<std::string>& values) {
  std::string all;
  for (const std::string& value : values) all += value;
  return all;
}

inline std::string tuple(const std::vector<std::string>& values) {
  return "(" + joined(values) + "t";
}

inline std::string list(const std::vector<std::string>& values) {
  return "](" + joined(values) + "e";
}

inline std::string integers(const std::vector<int64_t>& numbers) {
  std::vector<std::string> values;
  values.reserve(numbers.size());
  for (const int64_t number : numbers) values.push_back(integer(number));
  return list(values);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

inline std::string items(const Pairs& pairs) {
  std::string all = "(";
  for (const auto& [key, value] : pairs) all += key + value;
  return all + "u";
}

inline std::string dict(const Pairs& pairs) { return "}" + items(pairs); }

inline std::string global(const std::string& module, const std::string& name) {
  return "c" + module + "\n" + name + "\n";
}

inline std::string call(const std::string& constructor,
                        const std::vector<std::string>& arguments) {
  return constructor + tuple(arguments) + "R";
}

/// A neighbour list for each node, as defaultdict(list).
inline std::string graph(
    const std::vector<std::pair<int64_t, std::vector<int64_t>>>& lists) {
  Pairs pairs;
  for (const auto& [node, neighbours] : lists) {
    pairs.emplace_back(integer(node), integers(neighbours));
  }
  return call(global("collections", "defaultdict"),
              {global("__builtin__", "list")}) +
         items(pairs);
}

/// `order` and `code` as in "<" and "i4".
inline std::string dtype(const std::string& order, const std::string& code) {
  return call(global("numpy", "dtype"), {text(code), integer(0), integer(1)}) +
         tuple({integer(3), text(order), none(), none(), none(), integer(-1),
                integer(-1), integer(0)}) +
         "b";
}

/// An array with any state: what the next function fills in.
inline std::string array(const std::vector<int64_t>& shape,
                         const std::string& type, bool fortran_order,
                         const std::string& data) {
  std::vector<std::string> sizes;
  for (const int64_t size : shape) sizes.push_back(integer(size));
  return call(global("numpy.core.multiarray", "_reconstruct"),
              {global("numpy", "ndarray"), tuple({integer(0)}), text("b")}) +
         tuple({integer(1), tuple(sizes), type, boolean(fortran_order), data}) +
         "b";
}

/// int32, int64, float32 or float64.
inline std::string array(const at::Tensor& values) {
  const at::Tensor rows = values.contiguous();
  const std::string code =
      (at::isFloatingType(rows.scalar_type()) ? "f" : "i") +
      std::to_string(rows.element_size());
  return array(rows.sizes().vec(), dtype("<", code), false,
               text(std::string(static_cast<const char*>(rows.data_ptr()),
                                rows.nbytes())));
}

inline std::string objects(const std::vector<std::string>& values) {
  return array({static_cast<int64_t>(values.size())}, dtype("|", "O8"), false,
               list(values));
}

/// An `.npy` file with this header before any payload.
inline std::string npy(const std::string& descr, const std::string& shape,
                       const std::string& payload) {
  std::string header = "{'descr': '" + descr +
                       "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(117, ' ');
  header += '\n';
  return std::string("\x93NUMPY\x01\x00", 8) +
         little_endian(static_cast<uint16_t>(header.size())) + header + payload;
}

/// One split as a dictionary of lists of node ids.
inline std::string split(const std::vector<int64_t>& train,
                         const std::vector<int64_t>& valid,
                         const std::vector<int64_t>& test) {
  return dict({{text("train"), integers(train)},
               {text("valid"), integers(valid)},
               {text("test"), integers(test)}});
}

/// An object `.npy` of these splits, as the LINKX benchmarks have it.
inline std::string split_file(const std::vector<std::string>& splits) {
  return npy("|O", "(" + std::to_string(splits.size()) + ",)",
             file(objects(splits), 3));
}

/// A csr_matrix of these arrays, whatever they hold.
inline std::string csr(int64_t rows, int64_t columns, const at::Tensor& indptr,
                       const at::Tensor& indices, const at::Tensor& data) {
  return global("scipy.sparse.csr", "csr_matrix") + ")\x81" +
         dict({{text("format"), text("csr")},
               {text("_shape"), tuple({integer(rows), integer(columns)})},
               {text("indptr"), array(indptr)},
               {text("indices"), array(indices)},
               {text("maxprint"), integer(50)},
               {text("data"), array(data)}}) +
         "b";
}

/// The non-zeros of a dense [rows, columns] float32 matrix.
inline std::string csr(const at::Tensor& dense) {
  const at::Tensor where = dense.nonzero();
  const at::Tensor counts = (dense != 0).sum(1).to(torch::kInt);
  const at::Tensor indptr = torch::cat(
      {torch::zeros({1}, torch::kInt), counts.cumsum(0, torch::kInt)});
  return csr(dense.size(0), dense.size(1), indptr,
             where.select(1, 1).to(torch::kInt),
             dense.masked_select(dense != 0));
}

}  // namespace ordered_gnn::pickled
