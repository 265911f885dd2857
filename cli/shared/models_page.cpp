#include "shared/models_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/names.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/run_options.h"
#include "shared/arguments.h"

namespace ordered_gnn::cli {
namespace {

const char* const kOpening = R"(# Models

`ognn train --model NAME` trains any of these. The equations, parameter names and the
source of every default are in the header of the model in `src/nn/baselines/`, and for the
Ordered GNN in `include/ordered_gnn/nn/ordered_gnn.h`. This page is made from the table of
models by `make docs`.

A model's defaults stand in for the program's own; a recipe and then the command line
win over them. `ognn models` prints them, `ognn train --model NAME --print-config` all
options of a run. An option of the command line that the model does not read changes
nothing, and a line on standard error says so. Options of training that every model reads
are not in the table: see `ognn train --help`.

)";

const char* const kClosing = R"(
## For any model

`--l2-theta` is the L2 of input and output layers, `--l2-xi` that of the others.

`--drop-edge RATE` leaves out that share of the edges in every training step, anew each
time and the same in every run of one seed: DropEdge (2020). Loops stay, degrees are those
of the edges that are left. The two directions of an undirected edge are drawn apart, and
edges one by one instead of a fixed number.

`--correct-smooth` puts Correct & Smooth (2021) behind any model: the errors on training
nodes are spread over the graph and taken off the best epoch's probabilities
(`--cs-alpha1`, `--cs-scale`), which are then smoothed together with the training labels
(`--cs-alpha2`; `--cs-hops` steps each). Results are those after it; `result.json` and
`summary.json` have the model's own under `before_correct_smooth`. Checkpoints remember
the switch, and `ognn evaluate` and `ognn predict` take it too.

What differs from the papers: all train on the whole graph with Adam and keep the epoch
with the best validation score, where some stop early by validation loss.
)";

// "hops (steps of the propagation), alpha".
std::string reads_text(const ModelEntry& entry) {
  std::vector<std::string> options;
  for (const std::string& name : entry.reads) {
    const auto meaning = entry.meanings.find(name);
    options.push_back(meaning == entry.meanings.end()
                          ? name
                          : fmt::format("{} ({})", name, meaning->second));
  }
  return fmt::format("{}", fmt::join(options, ", "));
}

// "layers 2, hidden 16", in the order of the options table.
std::string defaults_text(const ModelEntry& entry) {
  std::vector<std::string> values;
  for (const Option<RunOptions>& row : run_option_table()) {
    const auto value = entry.defaults.find(row.spec.name);
    if (value == entry.defaults.end()) continue;
    values.push_back(row.spec.name + " " + value_text(*value));
  }
  return values.empty() ? "none" : fmt::format("{}", fmt::join(values, ", "));
}

std::string quoted_names(bool (*wanted)(const ModelEntry&)) {
  std::vector<std::string> names;
  for (const ModelEntry& entry : model_table()) {
    if (wanted(entry)) names.push_back("`" + entry.name + "`");
  }
  return core::listed(names);
}

}  // namespace

std::string models_page() {
  std::string page = kOpening;
  page +=
      "| `--model` | what it is | paper | options it reads | defaults it "
      "changes |\n|---|---|---|---|---|\n";
  std::string remarks;
  for (const ModelEntry& entry : model_table()) {
    page +=
        fmt::format("| `{}` | {} | {} | {} | {} |\n", entry.name, entry.summary,
                    entry.paper, reads_text(entry), defaults_text(entry));
    if (!entry.remarks.empty()) {
      remarks += fmt::format("- `{}`: {}\n", entry.name, entry.remarks);
    }
  }
  page += "\n## Remarks\n\n" + remarks;
  page += fmt::format(
      "- `--checkpoint-layers` is read by {}, `--math bf16` taken by {}.\n"
      "- Weights of edges are read by {}, with mean, gcn and sum where there "
      "is "
      "an `--aggregator`. The others say that they do not.\n",
      quoted_names([](const ModelEntry& entry) {
        return entry.reads_option("checkpoint-layers");
      }),
      quoted_names(
          [](const ModelEntry& entry) { return entry.why_no_bf16 != nullptr; }),
      quoted_names([](const ModelEntry& entry) {
        return entry.why_no_weights != nullptr;
      }));
  return page + kClosing;
}

}  // namespace ordered_gnn::cli
