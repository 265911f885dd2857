#include "scale/ranks/halo_exchange.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "ordered_gnn/core/non_copyable.h"
#include "scale/ranks/rank_progress.h"
#include "scale/ranks/row_moves.h"

namespace ordered_gnn::scale {

namespace {

// While it lives another part computes.
class Pause : NonCopyable {
 public:
  explicit Pause(PartTeam& team) : team_(team) { team_.pause(); }
  ~Pause() { team_.resume(); }

 private:
  PartTeam& team_;
};

}  // namespace

// A message of another rank's part; whoever needs it first waits for it.
struct HaloExchange::Arrival {
  std::unique_ptr<Transfer> transfer;  ///< null: it is empty
  std::mutex mutex;
  std::atomic<bool> is_there = false;
};

// Two take turns: nobody enters the next but one before all have left this one.
struct HaloExchange::Round {
  explicit Round(int64_t round, int64_t parts) : number(round), rows(parts) {}

  const int64_t number;  ///< from 0 on
  int64_t left = 0;
  bool is_prepared = false;
  std::vector<at::Tensor> rows;  ///< of every part that has come
  at::Tensor send, receive;      ///< [elements]
  RowLayout sent, received;
  std::vector<std::unique_ptr<Arrival>> arrivals;
  std::vector<std::unique_ptr<Transfer>> sends;

  void wait_for_sends() {
    for (const auto& transfer : sends) transfer->wait();
    sends.clear();
  }
};

HaloExchange::HaloExchange(Group& group, const RankRoutes& routes,
                           PartTeam& team, int64_t layers, Wire wire,
                           int64_t first_tag)
    : TeamExchange(group, routes, team, layers, wire),
      routes_(routes),
      first_tag_(first_tag) {
  reset();
}

HaloExchange::~HaloExchange() = default;

void HaloExchange::abort() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_aborted_ = true;
  changed_.notify_all();
  for (const auto& round : rounds_) {
    for (const auto& arrival : round->arrivals) {
      if (arrival->transfer) arrival->transfer->abort();
    }
  }
}

void HaloExchange::reset() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_aborted_ = false;
  news_.assign(parts_, RowNews());
  entered_.assign(parts_, 0);
  left_.reset();
  for (int64_t i = 0; i < 2; ++i) {
    rounds_[i] = std::make_unique<Round>(i, parts_);
  }
}

at::Tensor HaloExchange::fetch(int64_t part, int64_t halo,
                               const at::Tensor& given, Side side) {
  TORCH_CHECK(given.dim() == 2, "rows of a part must be [n, D], got ",
              given.sizes());
  const Matter matter = matter_of(part, side);
  const at::Tensor rows = given.detach().contiguous();
  // A graph of one part has nobody to meet; one in a batch by itself may have
  // neighbours outside.
  if (parts_ == 1 && group_.size() == 1 && halo == 0) return rows;
  Round& round = enter(part, rows, matter);
  send_rows(round, part, rows, matter);
  const at::Tensor all =
      at::empty({rows.size(0) + halo, rows.size(1)}, rows.options());
  std::memcpy(all.data_ptr(), rows.data_ptr(), rows.nbytes());
  // Nobody hears the others of these rows, but 0 times them must be 0.
  if (matter.known.is_last) all.narrow(0, rows.size(0), halo).zero_();
  const PartRoutes& routes = routes_of(matter).parts[part];
  take_own(round, routes, all);
  take_received(round, routes, routes_of(matter).arrivals, all);
  leave(round);
  return all;
}

HaloExchange::Matter HaloExchange::matter_of(int64_t part, Side side) {
  Matter matter{side, news_[part].next(side)};
  if (loss_routes_ == nullptr) matter.known.is_last = false;
  return matter;
}

const SideRoutes& HaloExchange::routes_of(const Matter& matter) const {
  const RankRoutes& routes = matter.known.is_last ? *loss_routes_ : routes_;
  return matter.side == Side::in ? routes.in : routes.out;
}

HaloExchange::Round& HaloExchange::enter(int64_t part, const at::Tensor& rows,
                                         const Matter& matter) {
  std::unique_lock<std::mutex> lock(mutex_);
  const int64_t number = entered_[part]++;
  // Who does not tell goes through its layers once and back.
  rank_progress().layer =
      matter.known.layer > 0
          ? matter.known.layer
          : std::min(number + 1, std::max<int64_t>(2 * layers_ - number, 1));
  wait_until(lock, [&] { return rounds_[number % 2]->number == number; });
  Round& round = *rounds_[number % 2];
  if (!round.is_prepared) prepare(round, rows, matter);
  TORCH_CHECK(round.send.scalar_type() == type_on_wire(rows),
              "parts of a graph fetch rows of different types");
  for (const at::Tensor& others : round.rows) {
    TORCH_CHECK(!others.defined() || others.size(1) == rows.size(1),
                "parts of a graph fetch rows of different widths");
  }
  round.rows[part] = rows;
  changed_.notify_all();
  return round;
}

// Whoever comes first makes room for messages, whose sizes follow from the
// matter alone, and lets them come.
void HaloExchange::prepare(Round& round, const at::Tensor& rows,
                           const Matter& matter) {
  const SideRoutes& side = routes_of(matter);
  const auto layout = [&](int64_t count, const std::vector<int64_t>& nodes) {
    if (matter.known.rate == 0) return RowLayout(rows.size(1));
    TORCH_CHECK(static_cast<int64_t>(nodes.size()) == count,
                "nobody knows of which nodes the rows are");
    return RowLayout(nodes, rows.size(1), matter.known);
  };
  round.sent = layout(side.sent(), side.sent_nodes);
  round.received = layout(side.received(), side.received_nodes);
  const at::TensorOptions options = rows.options().dtype(type_on_wire(rows));
  round.send = at::empty({round.sent.begin(side.sent())}, options);
  round.receive = at::empty({round.received.begin(side.received())}, options);
  for (const Message& message : side.arrivals) {
    auto arrival = std::make_unique<Arrival>();
    const at::Tensor values =
        round.received.of_rows(round.receive, message.first, message.rows);
    if (values.numel() > 0) {
      arrival->transfer =
          group_.start_receive(values, message.rank, first_tag_ + message.part);
    }
    round.arrivals.push_back(std::move(arrival));
  }
  round.is_prepared = true;
}

void HaloExchange::send_rows(Round& round, int64_t part, const at::Tensor& rows,
                             const Matter& matter) {
  const SideRoutes& side = routes_of(matter);
  pack_rows(round.sent, rows, side.parts[part].packs, round.send);
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const Message& message : side.sends) {
    if (message.part != routes_.first_part + part) continue;
    const at::Tensor values =
        round.sent.of_rows(round.send, message.first, message.rows);
    if (values.numel() > 0) {
      round.sends.push_back(
          group_.start_send(values, message.rank, first_tag_ + message.part));
    }
    sent_.bytes += static_cast<int64_t>(values.nbytes());
    sent_.expected += static_cast<double>(message.rows * rows.size(1)) *
                      static_cast<double>(values.element_size()) *
                      (1 - matter.known.rate);
  }
}

// Rows of parts of this rank, while those of other ranks are on their way.
void HaloExchange::take_own(const Round& round, const PartRoutes& routes,
                            const at::Tensor& all) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    wait_until(lock, [&] {
      return std::all_of(
          routes.neighbours.begin(), routes.neighbours.end(),
          [&](int64_t part) { return round.rows[part].defined(); });
    });
  }
  const Take* const end = routes.takes.data() + routes.takes.size();
  for (const Take* first = routes.takes.data(); first != end;) {
    const Take* const last = std::find_if(
        first, end, [&](const Take& take) { return take.part != first->part; });
    if (first->part >= 0) {
      copy_rows(round.rows[first->part], {first, last}, all, type_on_wire(all));
    }
    first = last;
  }
}

// Message by message, as they come. Takes of a message are side by side, and
// in the order of messages.
void HaloExchange::take_received(const Round& round, const PartRoutes& routes,
                                 const std::vector<Message>& messages,
                                 const at::Tensor& all) {
  const Take* const end = routes.takes.data() + routes.takes.size();
  const Take* next = routes.takes.data();
  for (const int64_t index : routes.arrivals) {
    wait_for(*round.arrivals[index]);
    const int64_t behind = messages[index].first + messages[index].rows;
    const Take* const first =
        std::find_if(next, end, [](const Take& take) { return take.part < 0; });
    next = std::find_if(first, end, [&](const Take& take) {
      return take.part >= 0 || take.row >= behind;
    });
    unpack_rows(round.received, round.receive, {first, next}, all);
  }
}

void HaloExchange::wait_for(Arrival& arrival) {
  if (arrival.is_there) return;
  const Pause pause(team_);
  const std::lock_guard<std::mutex> lock(arrival.mutex);
  if (arrival.is_there) return;
  if (arrival.transfer) arrival.transfer->wait();
  arrival.is_there = true;
}

// What was sent may still be on its way when all have left: it stays for one
// more round.
void HaloExchange::leave(Round& round) {
  std::unique_ptr<Round> before;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (++round.left < parts_) return;
    const int64_t number = round.number;
    before = std::move(left_);
    left_ = std::move(rounds_[number % 2]);
    rounds_[number % 2] = std::make_unique<Round>(number + 2, parts_);
    changed_.notify_all();
  }
  if (!before) return;
  // Whoever is to receive may first have to hear of another pass.
  const Pause pause(team_);
  before->wait_for_sends();
}

void HaloExchange::settle() {
  if (left_) left_->wait_for_sends();
  left_.reset();
}

}  // namespace ordered_gnn::scale
