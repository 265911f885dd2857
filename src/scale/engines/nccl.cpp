// All that this program knows of NCCL. Its library is the one that LibTorch has
// loaded, so it is looked up and not linked.
#include "scale/engines/nccl.h"

#include "ordered_gnn/core/error.h"
#if ORDERED_GNN_HAS_NCCL
#include <ATen/Functions.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <dlfcn.h>
#include <nccl.h>

#include <cstring>
#include <exception>
#include <string>
#include <thread>

#include "scale/engines/gloo.h"
#endif

namespace ordered_gnn::scale {

#if ORDERED_GNN_HAS_NCCL

namespace {

using Clock = std::chrono::steady_clock;

const char* const kLibrary = "libnccl.so.2";
const char* const kIdName = "nccl";

struct Nccl {
  decltype(&ncclGetUniqueId) get_unique_id;
  decltype(&ncclCommInitRank) init_rank;
  decltype(&ncclCommDestroy) destroy;
  decltype(&ncclCommAbort) abort;
  decltype(&ncclGroupStart) group_start;
  decltype(&ncclGroupEnd) group_end;
  decltype(&ncclSend) send;
  decltype(&ncclRecv) receive;
  decltype(&ncclBroadcast) broadcast;
  decltype(&ncclGetErrorString) error_string;
};

template <typename Function>
void look_up(void* library, const char* name, Function& function) {
  void* const found = ::dlsym(library, name);
  if (found == nullptr) fail("{} has no {}", kLibrary, name);
  function = reinterpret_cast<Function>(found);
}

Nccl load_nccl() {
  void* const library = ::dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    fail("--engine nccl: {} cannot be loaded ({}); install NCCL 2", kLibrary,
         ::dlerror());
  }
  Nccl nccl = {};
  look_up(library, "ncclGetUniqueId", nccl.get_unique_id);
  look_up(library, "ncclCommInitRank", nccl.init_rank);
  look_up(library, "ncclCommDestroy", nccl.destroy);
  look_up(library, "ncclCommAbort", nccl.abort);
  look_up(library, "ncclGroupStart", nccl.group_start);
  look_up(library, "ncclGroupEnd", nccl.group_end);
  look_up(library, "ncclSend", nccl.send);
  look_up(library, "ncclRecv", nccl.receive);
  look_up(library, "ncclBroadcast", nccl.broadcast);
  look_up(library, "ncclGetErrorString", nccl.error_string);
  return nccl;
}

const Nccl& nccl() {
  static const Nccl functions = load_nccl();
  return functions;
}

std::string text_of(const ncclUniqueId& id) {
  std::string text;
  for (const char byte : id.internal) {
    text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

ncclUniqueId id_of(const std::string& text) {
  ncclUniqueId id = {};
  if (text.size() != 2 * sizeof(id.internal)) {
    fail("rank 0 gave no sound id of NCCL, but '{}'", text);
  }
  for (size_t i = 0; i < sizeof(id.internal); ++i) {
    id.internal[i] =
        static_cast<char>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
  return id;
}

// Rank 0 makes the id of the group, the others read it.
ncclUniqueId shared_id(const NcclOptions& options) {
  if (options.rank == 0) {
    ncclUniqueId id = {};
    const ncclResult_t result = nccl().get_unique_id(&id);
    if (result != ncclSuccess) fail("NCCL: {}", nccl().error_string(result));
    if (options.size > 1) options.board->write(kIdName, text_of(id));
    return id;
  }
  const auto end = Clock::now() + options.patience;
  while (Clock::now() < end) {
    if (const auto text = options.board->read(kIdName)) return id_of(*text);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  fail("rank 0 has not begun with NCCL in {} seconds",
       options.patience.count() / 1000);
}

class NcclGroup : public Group {
 public:
  explicit NcclGroup(const NcclOptions& options)
      : rank_(options.rank),
        size_(options.size),
        device_(at::kCUDA, static_cast<c10::DeviceIndex>(options.gpu)) {
    const ncclUniqueId id = shared_id(options);
    const c10::cuda::CUDAGuard guard(device_);
    const ncclResult_t result = nccl().init_rank(
        &comm_, static_cast<int>(size_), id, static_cast<int>(rank_));
    if (result == ncclSuccess) return;
    fail("rank {} of {} could not meet the others by NCCL on GPU {}: {}", rank_,
         size_, options.gpu, nccl().error_string(result));
  }
  // Whoever destroys a group waits for the others, who may wait for what this
  // rank was about to send when it failed.
  ~NcclGroup() override {
    const bool has_failed = std::uncaught_exceptions() > exceptions_;
    (has_failed ? nccl().abort : nccl().destroy)(comm_);
  }

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }

  void exchange(const at::Tensor& send, const std::vector<int64_t>& send_bytes,
                at::Tensor& receive,
                const std::vector<int64_t>& receive_bytes) override {
    const c10::cuda::CUDAGuard guard(device_);
    const at::Tensor from = send.to(device_);
    const at::Tensor to = place_for(receive);
    check(nccl().group_start());
    const char* out = static_cast<const char*>(from.data_ptr());
    char* in = static_cast<char*>(to.data_ptr());
    for (int64_t r = 0; r < size_; ++r) {
      const int other = static_cast<int>(r);
      if (send_bytes[r] > 0) {
        check(nccl().send(out, static_cast<size_t>(send_bytes[r]), ncclUint8,
                          other, comm_, stream()));
      }
      if (receive_bytes[r] > 0) {
        check(nccl().receive(in, static_cast<size_t>(receive_bytes[r]),
                             ncclUint8, other, comm_, stream()));
      }
      out += send_bytes[r];
      in += receive_bytes[r];
    }
    check(nccl().group_end());
    hand_over(to, receive);
  }

  std::unique_ptr<Transfer> start_send(const at::Tensor& /*values*/,
                                       int64_t /*to*/,
                                       int64_t /*tag*/) override {
    TORCH_INTERNAL_ASSERT(false, "nccl has no messages beside its calls");
  }
  std::unique_ptr<Transfer> start_receive(const at::Tensor& /*values*/,
                                          int64_t /*from*/,
                                          int64_t /*tag*/) override {
    TORCH_INTERNAL_ASSERT(false, "nccl has no messages beside its calls");
  }

  void send(const at::Tensor& values, int64_t to) override {
    const c10::cuda::CUDAGuard guard(device_);
    const at::Tensor from = values.to(device_);
    check(nccl().send(from.data_ptr(), from.nbytes(), ncclUint8,
                      static_cast<int>(to), comm_, stream()));
  }

  void receive(at::Tensor& values, int64_t from) override {
    const c10::cuda::CUDAGuard guard(device_);
    const at::Tensor to = place_for(values);
    check(nccl().receive(to.data_ptr(), to.nbytes(), ncclUint8,
                         static_cast<int>(from), comm_, stream()));
    hand_over(to, values);
  }

  void broadcast(at::Tensor& values) override {
    const c10::cuda::CUDAGuard guard(device_);
    const at::Tensor there = values.to(device_);
    check(nccl().broadcast(there.data_ptr(), there.data_ptr(), there.nbytes(),
                           ncclUint8, /*root=*/0, comm_, stream()));
    hand_over(there, values);
  }

 private:
  cudaStream_t stream() const {
    return c10::cuda::getCurrentCUDAStream(device_.index());
  }

  // Where something is received that `values` is to have.
  at::Tensor place_for(const at::Tensor& values) const {
    return values.device() == device_
               ? values
               : at::empty(values.sizes(), values.options().device(device_));
  }

  void hand_over(const at::Tensor& received, const at::Tensor& values) const {
    if (values.device() != device_) values.copy_(received);
  }

  void check(ncclResult_t result) const {
    if (result == ncclSuccess) return;
    const std::string reason =
        fmt::format("NCCL: {}", nccl().error_string(result));
    if (size_ > 1) throw ConnectionLost(reason);
    throw Error(reason);
  }

  const int64_t rank_, size_;
  const at::Device device_;
  const int exceptions_ = std::uncaught_exceptions();
  ncclComm_t comm_ = nullptr;
};

}  // namespace

bool has_nccl() { return true; }

void require_nccl() {}

std::unique_ptr<Group> make_nccl_group(const NcclOptions& options) {
  return std::make_unique<NcclGroup>(options);
}

#else

bool has_nccl() { return false; }

void require_nccl() {
  throw UsageError(
      "--engine nccl: this build has no NCCL; use --engine local, or build the "
      "'cuda' preset against a CUDA LibTorch where nccl.h is found");
}

std::unique_ptr<Group> make_nccl_group(const NcclOptions& /*options*/) {
  require_nccl();
  return nullptr;
}

#endif

}  // namespace ordered_gnn::scale
