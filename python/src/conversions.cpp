#include "conversions.h"

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::python {

namespace py = pybind11;

py::object to_python(const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean:
      return py::bool_(json.get<bool>());
    case Json::value_t::number_integer:
      return py::int_(json.get<int64_t>());
    case Json::value_t::number_unsigned:
      return py::int_(json.get<uint64_t>());
    case Json::value_t::number_float:
      return py::float_(json.get<double>());
    case Json::value_t::string: {
      const auto& text = json.get_ref<const std::string&>();
      return py::reinterpret_steal<py::object>(PyUnicode_DecodeUTF8(
          text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    }
    case Json::value_t::array: {
      py::list list;
      for (const Json& entry : json) list.append(to_python(entry));
      return std::move(list);
    }
    case Json::value_t::object: {
      py::dict dict;
      for (const auto& [key, value] : json.items()) {
        dict[to_python(Json(key))] = to_python(value);
      }
      return std::move(dict);
    }
    default:
      return py::none();
  }
}

Json from_python(const py::handle& value) {
  if (value.is_none()) return nullptr;
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::int_>(value)) return value.cast<int64_t>();
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  if (py::isinstance<py::dict>(value)) {
    Json object = Json::object();
    for (const auto& [key, entry] : value.cast<py::dict>()) {
      object[py::str(key).cast<std::string>()] = from_python(entry);
    }
    return object;
  }
  if (py::isinstance<py::sequence>(value)) {
    Json array = Json::array();
    for (const auto& entry : value) array.push_back(from_python(entry));
    return array;
  }
  // NumPy's numbers: whole ones have __index__, others __float__.
  if (PyIndex_Check(value.ptr())) {
    return py::int_(py::reinterpret_borrow<py::object>(value)).cast<int64_t>();
  }
  if (py::hasattr(value, "__float__")) {
    return py::float_(py::reinterpret_borrow<py::object>(value)).cast<double>();
  }
  if (py::hasattr(value, "__fspath__")) return path_text(value);
  throw UsageError(fmt::format("an option cannot be a value of the type {}",
                               Py_TYPE(value.ptr())->tp_name));
}

at::Tensor tensor_or_none(const py::handle& value) {
  return value.is_none() ? at::Tensor() : value.cast<at::Tensor>();
}

std::string path_text(const py::handle& path) {
  if (path.is_none()) return "";
  const auto text = py::reinterpret_steal<py::object>(PyOS_FSPath(path.ptr()));
  if (!text) throw py::error_already_set();
  return py::str(text).cast<std::string>();
}

}  // namespace ordered_gnn::python
