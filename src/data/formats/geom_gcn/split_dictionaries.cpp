#include "data/formats/geom_gcn/split_dictionaries.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <array>
#include <string>

#include "core/io/byte_source.h"
#include "core/io/file.h"
#include "core/io/npy/header.h"
#include "core/io/pickle/arrays.h"
#include "core/io/pickle/pickle.h"
#include "data/split_checks.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMaxDictionaryBytes = int64_t{1} << 30;

struct PartKeys {
  const char* usual;
  const char* other;
};
constexpr std::array<PartKeys, 3> kParts = {
    {{"train", "train"}, {"valid", "val"}, {"test", "test"}}};

// The objects' pickle and the shape that stands before it.
struct ObjectFile {
  core::Pickle pickle;
  std::vector<int64_t> shape;
};

ObjectFile read_objects(const fs::path& file) {
  std::string bytes = core::read_file(file, kMaxDictionaryBytes);
  core::MemorySource source(bytes, file.string());
  const core::NpyHeader header = core::read_npy_header(source);
  if (header.descr.find('O') == std::string::npos) {
    fail_in(file, fmt::format("expected an array of objects (dtype 'O') that "
                              "holds a dict for each split, got dtype '{}'",
                              header.descr));
  }
  bytes.erase(0, bytes.size() - static_cast<size_t>(source.remaining()));
  return {core::parse_pickle(std::move(bytes), file.string()), header.shape};
}

std::vector<int64_t> read_ids(const core::PickleValue& value,
                              const std::string& place) {
  if (!core::is_pickled_array(value)) {
    if (value.is(core::PickleKind::list) || value.is(core::PickleKind::tuple)) {
      return value.integers();
    }
    fail("{}: expected a list or an array of node ids, found {}", place,
         core::describe_pickled(value));
  }
  const at::Tensor ids = core::array_from_pickle(value);
  if (ids.dim() != 1 ||
      !at::isIntegralType(ids.scalar_type(), /*includeBool=*/false)) {
    fail("{}: expected an array [size] of integers, found shape [{}] of {}",
         place, fmt::join(ids.sizes(), ", "), at::toString(ids.scalar_type()));
  }
  const at::Tensor wide = ids.to(at::kLong);
  const int64_t* const data = wide.data_ptr<int64_t>();
  return {data, data + wide.size(0)};
}

Split read_split(const core::PickleValue& fields, int64_t num_nodes,
                 const std::string& place) {
  if (!fields.is(core::PickleKind::dict)) {
    fail("{}: expected a dict, found {}", place,
         core::describe_pickled(fields));
  }
  std::array<PartIds, kParts.size()> parts;
  for (size_t part = 0; part < kParts.size(); ++part) {
    const char* const name = kParts[part].usual;
    std::optional<core::PickleValue> value = fields.find(name);
    if (!value) value = fields.find(kParts[part].other);
    if (!value) {
      fail("{}: there is no '{}'; expected 'train', 'valid' and 'test'", place,
           name);
    }
    parts[part] = {name,
                   read_ids(*value, fmt::format("{}: '{}'", place, name))};
  }
  return split_of_ids(parts, num_nodes, place);
}

}  // namespace

std::vector<Split> load_split_dictionaries(const fs::path& file,
                                           int64_t num_nodes) {
  const ObjectFile content = read_objects(file);
  const std::vector<core::PickleValue> objects =
      core::objects_from_pickle(content.pickle.root());
  if (content.shape.size() != 1 ||
      content.shape[0] != static_cast<int64_t>(objects.size())) {
    fail_in(file, fmt::format("the header states shape ({}) but there are {} "
                              "objects",
                              fmt::join(content.shape, ", "), objects.size()));
  }
  std::vector<Split> splits;
  for (size_t k = 0; k < objects.size(); ++k) {
    splits.push_back(read_split(objects[k], num_nodes,
                                fmt::format("{}: split {}", file.string(), k)));
  }
  return splits;
}

}  // namespace ordered_gnn::data
