// All that this program knows of c10d.
#include "scale/engines/gloo.h"

#include <atomic>

#include "ordered_gnn/core/error.h"
#if ORDERED_GNN_HAS_STORE
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#endif
#if ORDERED_GNN_HAS_GLOO
#include <ATen/Functions.h>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#endif

namespace ordered_gnn::scale {

#if ORDERED_GNN_HAS_STORE

namespace {

using std::chrono::milliseconds;

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

std::string address_of(const MeetingPlace& place) {
  return fmt::format("{}:{}", place.address, place.port);
}

c10::intrusive_ptr<c10d::TCPStore> connect(const MeetingPlace& place,
                                           milliseconds patience) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(place.port);
  options.isServer = false;
  options.waitWorkers = false;
  options.timeout = patience;
  try {
    auto store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
    store->setTimeout(patience);
    return store;
  } catch (const std::exception& error) {
    fail(
        "nobody answers at {} in {} seconds ({}); is rank 0 running there, and "
        "do MASTER_ADDR and MASTER_PORT name it?",
        address_of(place), patience.count() / 1000, first_line(error.what()));
  }
}

class StoreBoard : public Board {
 public:
  StoreBoard(const MeetingPlace& place, milliseconds patience)
      : place_(place), store_(connect(place, patience)) {}

  void write(const std::string& name, const std::string& text) override {
    asking([&] {
      store_->set(name, std::vector<uint8_t>(text.begin(), text.end()));
      return 0;
    });
  }

  std::optional<std::string> read(const std::string& name) override {
    return asking([&]() -> std::optional<std::string> {
      if (!store_->check({name})) return std::nullopt;
      const std::vector<uint8_t> bytes = store_->get(name);
      return std::string(bytes.begin(), bytes.end());
    });
  }

 private:
  template <typename Call>
  auto asking(const Call& call) -> decltype(call()) {
    try {
      return call();
    } catch (const std::exception& error) {
      fail("rank 0 at {} does not answer ({})", address_of(place_),
           first_line(error.what()));
    }
  }

  const MeetingPlace place_;
  c10::intrusive_ptr<c10d::TCPStore> store_;
};

}  // namespace

struct BoardServer::State {
  c10::intrusive_ptr<c10d::TCPStore> store;
};

BoardServer::BoardServer(const MeetingPlace& place)
    : state_(std::make_unique<State>()) {
  c10d::TCPStoreOptions options;
  options.port = static_cast<uint16_t>(place.port);
  options.isServer = true;
  options.waitWorkers = false;
  options.timeout = milliseconds(10000);
  try {
    state_->store = c10::make_intrusive<c10d::TCPStore>(place.address, options);
  } catch (const std::exception& error) {
    fail(
        "cannot listen on {}: {}; is the port in use? Set MASTER_PORT to "
        "another",
        address_of(place), first_line(error.what()));
  }
}

BoardServer::~BoardServer() = default;

int BoardServer::port() const { return state_->store->getPort(); }

std::unique_ptr<Board> open_board(const MeetingPlace& place,
                                  milliseconds patience) {
  return std::make_unique<StoreBoard>(place, patience);
}

#else

namespace {

[[noreturn]] void refuse_processes() {
  throw UsageError(
      "ranks that are processes need c10d, which this build's LibTorch does "
      "not have; use --engine local");
}

}  // namespace

struct BoardServer::State {};
BoardServer::BoardServer(const MeetingPlace& /*place*/) { refuse_processes(); }
BoardServer::~BoardServer() = default;
int BoardServer::port() const { return 0; }

std::unique_ptr<Board> open_board(const MeetingPlace& /*place*/,
                                  std::chrono::milliseconds /*patience*/) {
  refuse_processes();
}

#endif

#if ORDERED_GNN_HAS_GLOO

namespace {

// A call that waits longer than this for a rank that lives does so in vain:
// deaths are noticed by others earlier, see Watch.
constexpr milliseconds kCallPatience{std::chrono::hours(24)};
constexpr int kTag = 7;
constexpr const char* kNobodyWaits = "nobody waits for this message any more";

// The bytes of a tensor as Gloo takes them: it has no 16-bit types.
at::Tensor as_bytes(void* data, int64_t bytes) {
  return at::from_blob(data, {bytes}, at::kByte);
}

class GlooTransfer : public Transfer {
 public:
  /// @param is_broken  of its group, which it may tell.
  GlooTransfer(c10::intrusive_ptr<c10d::Work> work, at::Tensor piece,
               std::shared_ptr<std::atomic<bool>> is_broken)
      : work_(std::move(work)),
        piece_(std::move(piece)),
        is_broken_(std::move(is_broken)) {}

  void wait() override {
    // The engine wakes only one of those that wait.
    if (is_over_) fail(kNobodyWaits);
    bool is_there = false;
    try {
      is_there = work_->wait();
    } catch (const std::exception& error) {
      *is_broken_ = true;
      throw ConnectionLost(first_line(error.what()));
    }
    if (!is_there) fail(kNobodyWaits);
  }
  void abort() override {
    is_over_ = true;
    work_->abort();
  }

 private:
  const c10::intrusive_ptr<c10d::Work> work_;
  const at::Tensor piece_;  ///< that the work reads
  const std::shared_ptr<std::atomic<bool>> is_broken_;
  std::atomic<bool> is_over_{false};
};

class GlooGroup : public Group {
 public:
  GlooGroup(c10::intrusive_ptr<c10d::ProcessGroupGloo> group,
            const GlooOptions& options)
      : group_(std::move(group)), rank_(options.rank), size_(options.size) {}

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }

  // One message for each pair that has something to say: parts have few
  // neighbours, and a collective call would make all wait for all.
  void exchange(const at::Tensor& send, const std::vector<int64_t>& send_bytes,
                at::Tensor& receive,
                const std::vector<int64_t>& receive_bytes) override {
    talking([&] {
      std::vector<c10::intrusive_ptr<c10d::Work>> under_way;
      std::vector<std::vector<at::Tensor>> pieces;
      pieces.reserve(2 * size_);
      const auto each = [&](void* data, const std::vector<int64_t>& bytes,
                            const auto& start) {
        char* from = static_cast<char*>(data);
        for (int64_t r = 0; r < size_; ++r) {
          if (bytes[r] > 0 && r != rank_) {
            pieces.push_back({as_bytes(from, bytes[r])});
            under_way.push_back(start(pieces.back(), static_cast<int>(r)));
          }
          from += bytes[r];
        }
      };
      each(receive.data_ptr(), receive_bytes,
           [&](auto& piece, int r) { return group_->recv(piece, r, kTag); });
      each(send.data_ptr(), send_bytes,
           [&](auto& piece, int r) { return group_->send(piece, r, kTag); });
      copy_own(send, send_bytes, receive, receive_bytes);
      for (const auto& work : under_way) work->wait();
    });
  }

  std::unique_ptr<Transfer> start_send(const at::Tensor& values, int64_t to,
                                       int64_t tag) override {
    return started(values, [&](auto& piece) {
      return group_->send(piece, static_cast<int>(to), message_tag(tag));
    });
  }

  std::unique_ptr<Transfer> start_receive(const at::Tensor& values,
                                          int64_t from, int64_t tag) override {
    return started(values, [&](auto& piece) {
      return group_->recv(piece, static_cast<int>(from), message_tag(tag));
    });
  }

  void send(const at::Tensor& values, int64_t to) override {
    talking([&] {
      std::vector<at::Tensor> piece = {
          as_bytes(values.data_ptr(), static_cast<int64_t>(values.nbytes()))};
      group_->send(piece, static_cast<int>(to), kTag)->wait();
    });
  }

  void receive(at::Tensor& values, int64_t from) override {
    talking([&] {
      std::vector<at::Tensor> piece = {
          as_bytes(values.data_ptr(), static_cast<int64_t>(values.nbytes()))};
      group_->recv(piece, static_cast<int>(from), kTag)->wait();
    });
  }

  void broadcast(at::Tensor& values) override {
    talking([&] {
      std::vector<at::Tensor> piece = {
          as_bytes(values.data_ptr(), static_cast<int64_t>(values.nbytes()))};
      group_->broadcast(piece)->wait();
    });
  }

 private:
  static int message_tag(int64_t tag) {
    return kTag + 1 + static_cast<int>(tag);
  }

  template <typename Start>
  std::unique_ptr<Transfer> started(const at::Tensor& values,
                                    const Start& start) {
    std::vector<at::Tensor> piece = {
        as_bytes(values.data_ptr(), static_cast<int64_t>(values.nbytes()))};
    std::unique_ptr<Transfer> transfer;
    talking([&] {
      transfer =
          std::make_unique<GlooTransfer>(start(piece), piece[0], is_broken_);
    });
    return transfer;
  }

  void copy_own(const at::Tensor& send, const std::vector<int64_t>& send_bytes,
                at::Tensor& receive,
                const std::vector<int64_t>& receive_bytes) const {
    if (send_bytes[rank_] == 0) return;
    const char* from = static_cast<const char*>(send.data_ptr());
    char* to = static_cast<char*>(receive.data_ptr());
    for (int64_t r = 0; r < rank_; ++r) {
      from += send_bytes[r];
      to += receive_bytes[r];
    }
    std::copy(from, from + send_bytes[rank_], to);
  }

  // After a connection broke nothing fits any more: no further call is made,
  // for it would wait forever.
  template <typename Call>
  void talking(const Call& call) {
    if (*is_broken_) throw ConnectionLost("the connection broke earlier");
    try {
      call();
    } catch (const std::exception& error) {
      *is_broken_ = true;
      throw ConnectionLost(first_line(error.what()));
    }
  }

  c10::intrusive_ptr<c10d::ProcessGroupGloo> group_;
  const int64_t rank_, size_;
  const std::shared_ptr<std::atomic<bool>> is_broken_ =
      std::make_shared<std::atomic<bool>>(false);
};

std::shared_ptr<::gloo::transport::Device> device_of(
    const GlooOptions& options) {
  using Gloo = c10d::ProcessGroupGloo;
  if (!options.interface.empty()) {
    return Gloo::createDeviceForInterface(options.interface);
  }
  const std::string& address = options.place.address;
  const bool is_here = address == "localhost" || address == "::1" ||
                       address.rfind("127.", 0) == 0;
  return is_here ? Gloo::createDeviceForHostname("127.0.0.1")
                 : Gloo::createDefaultDevice();
}

}  // namespace

bool has_gloo() { return true; }

namespace {

// Gloo waits for missing ranks as long as for a call.
void wait_for_all(c10d::Store& store, const GlooOptions& options) {
  const auto key = [](int64_t rank) { return fmt::format("came/{}", rank); };
  store.set(key(options.rank), std::vector<uint8_t>{1});
  std::vector<std::string> keys;
  for (int64_t r = 0; r < options.size; ++r) keys.push_back(key(r));
  store.wait(keys, options.patience);
}

}  // namespace

std::unique_ptr<Group> make_gloo_group(const GlooOptions& options) {
  auto store = connect(options.place, options.patience);
  auto how = c10d::ProcessGroupGloo::Options::create(kCallPatience);
  how->threads = 2;
  try {
    wait_for_all(*store, options);
    how->devices.push_back(device_of(options));
    auto group = c10::make_intrusive<c10d::ProcessGroupGloo>(
        c10::make_intrusive<c10d::PrefixStore>("rows", store),
        static_cast<int>(options.rank), static_cast<int>(options.size), how);
    return std::make_unique<GlooGroup>(std::move(group), options);
  } catch (const std::exception& error) {
    fail(
        "rank {} of {} could not reach all others in {} seconds ({}); start "
        "all of them, and name the network with --interface where hosts have "
        "several",
        options.rank, options.size, options.patience.count() / 1000,
        first_line(error.what()));
  }
}

#else

bool has_gloo() { return false; }

std::unique_ptr<Group> make_gloo_group(const GlooOptions& /*options*/) {
  throw UsageError(
      "--engine gloo: this build has no Gloo; use --engine local, or install "
      "libgloo-dev and build again");
}

#endif

}  // namespace ordered_gnn::scale
