#include <algorithm>
#include <cmath>

#include "core/io/json_numbers.h"
#include "lab/page/figures.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kMostCurvePoints = 1000;

double number_at(const Json& epoch, const char* key) {
  const auto value = epoch.find(key);
  return core::number_or_nan(value == epoch.end() ? Json() : *value);
}

// Every epoch, or every n-th and the last of many.
LineSeries curve_of(const std::vector<Json>& curves, const char* key,
                    const std::string& name, double factor) {
  LineSeries series;
  series.name = name;
  series.marks = false;
  const size_t stride =
      (curves.size() + kMostCurvePoints - 1) / kMostCurvePoints;
  for (size_t i = 0; i < curves.size(); ++i) {
    if (i % stride != 0 && i + 1 != curves.size()) continue;
    series.x.push_back(number_at(curves[i], "epoch"));
    series.y.push_back(factor * number_at(curves[i], key));
  }
  return series;
}

// Not all epochs of a run need be.
std::vector<Json> evaluated_epochs(const std::vector<Json>& curves) {
  std::vector<Json> out;
  for (const Json& epoch : curves) {
    if (!std::isnan(number_at(epoch, "val_accuracy"))) out.push_back(epoch);
  }
  return out;
}

ReportTable numbers_of(const LinePlot& plot) {
  std::vector<std::string> header = {"epoch"};
  for (const LineSeries& series : plot.series) header.push_back(series.name);
  ReportTable table(header);
  if (plot.series.empty()) return table;
  for (size_t i = 0; i < plot.series[0].x.size(); ++i) {
    std::vector<std::string> row = {number_text(plot.series[0].x[i])};
    for (const LineSeries& series : plot.series) {
      row.push_back(number_text(series.y[i]));
    }
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<PageFigure> curve_figures(const std::vector<Json>& curves,
                                      const std::string& prefix) {
  if (curves.empty()) return {};
  LinePlot loss;
  loss.frame = half_width_frame("Training loss");
  loss.frame.height = 340;
  loss.x.title = "epoch";
  loss.x.whole = true;
  loss.y.title = "cross-entropy";
  loss.series = {curve_of(curves, "loss", "loss", 1)};
  LinePlot accuracy;
  accuracy.frame = half_width_frame("Accuracy");
  accuracy.frame.height = 340;
  accuracy.x = loss.x;
  accuracy.y.title = "accuracy, %";
  const std::vector<Json> evaluated = evaluated_epochs(curves);
  accuracy.series = {curve_of(evaluated, "train_accuracy", "train", 100),
                     curve_of(evaluated, "val_accuracy", "validation", 100)};
  LineSeries test = curve_of(evaluated, "test_accuracy", "test", 100);
  const bool tested = std::any_of(test.y.begin(), test.y.end(),
                                  [](double y) { return std::isfinite(y); });
  if (tested) accuracy.series.push_back(std::move(test));
  PageFigure of_loss{prefix + "curve-loss", "",
                     "Mean loss of the training nodes in each epoch, dropout "
                     "included.",
                     numbers_of(loss)};
  PageFigure of_accuracy{prefix + "curve-accuracy", "", "",
                         numbers_of(accuracy)};
  const double best = number_at(curves.back(), "best_epoch");
  for (const Json& epoch : curves) {
    if (number_at(epoch, "epoch") != best) continue;
    LineSeries chosen;
    chosen.name = "chosen epoch";
    chosen.x = {best};
    chosen.y = {100 * number_at(epoch, "val_accuracy")};
    accuracy.series.push_back(chosen);
    of_accuracy.caption =
        "The model is that of the epoch with the best validation score, which "
        "is marked.";
  }
  loss.series[0].name.clear();
  of_loss.svg = line_plot(loss);
  of_accuracy.svg = line_plot(accuracy);
  return {of_loss, of_accuracy};
}

}  // namespace ordered_gnn::lab
