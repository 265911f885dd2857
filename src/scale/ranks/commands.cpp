#include "scale/ranks/commands.h"

#include <torch/types.h>

namespace ordered_gnn::scale {

void tell(Group& group, const Command& command) {
  at::Tensor words = torch::tensor(
      {static_cast<int64_t>(command.kind), command.epoch}, torch::kLong);
  group.broadcast(words);
}

Command hear(Group& group) {
  at::Tensor words = torch::zeros({2}, torch::kLong);
  group.broadcast(words);
  const int64_t* const word = words.data_ptr<int64_t>();
  return {static_cast<CommandKind>(word[0]), word[1]};
}

void share_parameters(Group& group, NodeModel& model) {
  if (group.size() == 1) return;
  const torch::NoGradGuard no_grad;
  std::vector<at::Tensor> pieces;
  for (const at::Tensor& parameter : model.parameters()) {
    pieces.push_back(parameter.detach().reshape({-1}));
  }
  if (pieces.empty()) return;
  at::Tensor flat = torch::cat(pieces);
  group.broadcast(flat);
  if (group.rank() == 0) return;
  int64_t begin = 0;
  for (at::Tensor& parameter : model.parameters()) {
    parameter.copy_(
        flat.narrow(0, begin, parameter.numel()).view(parameter.sizes()));
    begin += parameter.numel();
  }
}

void share_loss(Group& group, int64_t num_classes, LossTerms& terms) {
  at::Tensor numbers =
      torch::tensor({static_cast<double>(terms.split), terms.total_weight,
                     terms.weights.defined() ? 1.0 : 0.0},
                    torch::kDouble);
  group.broadcast(numbers);
  const double* const number = numbers.data_ptr<double>();
  terms.split = static_cast<int64_t>(number[0]);
  terms.total_weight = number[1];
  if (number[2] == 0) {
    terms.weights = at::Tensor();
    return;
  }
  at::Tensor weights =
      terms.weights.defined() ? terms.weights : torch::zeros({num_classes});
  group.broadcast(weights);
  terms.weights = weights;
}

WireCount add_up(Group& group, const WireCount& own) {
  // Bytes of all runs fit into the 53 bits of a double.
  at::Tensor counts = torch::tensor(
      {static_cast<double>(own.bytes), own.expected}, torch::kDouble);
  if (group.rank() > 0) {
    group.send(counts, 0);
    return {};
  }
  WireCount sum = own;
  for (int64_t r = 1; r < group.size(); ++r) {
    group.receive(counts, r);
    sum.bytes += static_cast<int64_t>(counts[0].item<double>());
    sum.expected += counts[1].item<double>();
  }
  return sum;
}

void serve(Group& group, RankWork& work, NodeModel& model,
           int64_t num_classes) {
  work.use_model(model);
  while (true) {
    const Command command = hear(group);
    switch (command.kind) {
      case CommandKind::stop:
        return;
      case CommandKind::split: {
        LossTerms terms;
        share_loss(group, num_classes, terms);
        work.use_loss(terms);
        break;
      }
      case CommandKind::step:
        share_parameters(group, model);
        work.step(command.epoch);
        break;
      case CommandKind::evaluate:
        share_parameters(group, model);
        work.evaluate();
        break;
      case CommandKind::predict:
        share_parameters(group, model);
        work.predict(nullptr);
        break;
      case CommandKind::explain:
        share_parameters(group, model);
        work.explain(command.epoch);
        break;
      case CommandKind::both:
        share_parameters(group, model);
        work.evaluate_and_step(command.epoch);
        break;
      case CommandKind::count:
        add_up(group, work.sent());
        break;
    }
  }
}

}  // namespace ordered_gnn::scale
