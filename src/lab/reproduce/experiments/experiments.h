#pragma once
#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {

// What the entries of the table of experiments are made of; a file for each.

void plan_table2(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_tuned(const ReproductionOptions& options, ExperimentPlan& plan);
/// Every system that is no row of the paper's table, beside Ordered GNN.
void plan_systems(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_ablation(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_depth(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_depth_tuned(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_layers64(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_large(const ReproductionOptions& options, ExperimentPlan& plan);
/// Models of several seeds, by themselves and together.
void plan_ensembles(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_gates(const ReproductionOptions& options, ExperimentPlan& plan);
/// Systems and graphs that came after the paper.
void plan_modern(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_modern_ablation(const ReproductionOptions& options,
                          ExperimentPlan& plan);
void plan_runtime(const ReproductionOptions& options, ExperimentPlan& plan);

/// Cells of the recipes of a folder, called GRAPH-GATING: a row for every kind
/// of gates, compared with the one before it.
void plan_ladder(const std::string& folder, const ReproductionOptions& options,
                 ExperimentPlan& plan);

/// Trains a model per cell, keeps it and reads its gates.
ExperimentRuns gate_runs();
/// Trains the models of a cell, keeps them and lets those of a split answer
/// together.
ExperimentRuns ensemble_runs();
/// Times epochs and keeps the times.
ExperimentRuns timed_runs();

/// Rows by columns say it all where the paper has no numbers.
ExperimentReport other_systems_report();
/// The same with parameters and times.
ExperimentReport modern_report();
ExperimentReport modern_ablation_report();
/// Rows are numbers of layers.
ExperimentReport depth_report();
ExperimentReport gates_report();
ExperimentReport runtime_report();

}  // namespace ordered_gnn::lab
