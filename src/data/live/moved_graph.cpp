#include "data/live/live_graph.h"

namespace ordered_gnn::data {

ChangeEffect ChangeEffect::moved(const core::RowMoves& moves) const {
  const auto follow = [&](const std::vector<int64_t>& rows) {
    std::vector<int64_t> out;
    for (const int64_t r : rows) {
      const int64_t after = moves.row_after[static_cast<size_t>(r)];
      if (after != core::RowMoves::kDropped) out.push_back(after);
    }
    return out;
  };
  ChangeEffect out = *this;
  out.list_rows = follow(list_rows);
  out.feature_rows = follow(feature_rows);
  out.removed_rows = follow(removed_rows);
  return out;
}

std::optional<core::RowMoves> LiveGraph::row_moves() const {
  if (frame_->fixed || num_rows() == num_nodes_) return std::nullopt;
  return core::plan_row_moves(num_rows(),
                              [&](int64_t row) { return has(row); });
}

std::shared_ptr<const LiveGraph::Frame> LiveGraph::moved_frame(
    const core::RowMoves& moves) const {
  auto out = std::make_shared<Frame>(*frame_);
  out->splits = splits_among(moves.row_after);
  out->names =
      frame_->names->moved(moves, [&](int64_t row) { return has(row); });
  return out;
}

LiveGraph LiveGraph::moved(const core::RowMoves& moves,
                           const MovedGraph* known) const {
  LiveGraph out = *this;
  if (known == nullptr) {
    out.frame_ = moved_frame(moves);
  } else {
    // Versions share their names.
    out.frame_ = known->after.frame_;
    std::vector<std::string> names;
    for (int64_t r = known->before.num_rows(); r < num_rows(); ++r) {
      names.push_back(name_of(r));
    }
    out.frame_->names->append(names);
  }
  const auto list = [&](core::ListTable LiveGraph::*table, bool are_rows) {
    if (known == nullptr) return (this->*table).moved(moves, are_rows);
    const core::MovedVersion<core::ListTable> version{known->before.*table,
                                                      known->after.*table};
    return (this->*table).moved(moves, are_rows, &version);
  };
  out.in_ = list(&LiveGraph::in_, true);
  out.out_ = list(&LiveGraph::out_, true);
  out.sparse_ = list(&LiveGraph::sparse_, false);
  if (known == nullptr) {
    out.dense_ = dense_.moved(moves);
  } else {
    const core::MovedVersion<core::RowTable> version{known->before.dense_,
                                                     known->after.dense_};
    out.dense_ = dense_.moved(moves, &version);
  }
  out.nodes_ = {};
  out.nodes_.resize(static_cast<int64_t>(moves.chunks.size()));
  for (int64_t c = 0; c < out.nodes_.size(); ++c) {
    const core::RowMoves::Source& source = moves.chunks[static_cast<size_t>(c)];
    if (source.whole >= 0) {
      out.nodes_.set(c, nodes_.shared(source.whole));
      continue;
    }
    auto chunk = std::make_shared<NodeChunk>();
    for (size_t i = 0; i < source.rows.size(); ++i) {
      const int64_t r = source.rows[i];
      chunk->label[i] = static_cast<int32_t>(label(r));
      chunk->exists[i] = node(r).exists[place(r)];
    }
    out.nodes_.set(c, std::move(chunk));
  }
  return out;
}

}  // namespace ordered_gnn::data
