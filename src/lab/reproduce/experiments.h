#pragma once
#include "lab/reproduce/reproduction.h"

namespace ordered_gnn::lab {

/// Each fills in the title, the notes and the cells of one experiment from the
/// recipes for the wanted datasets; no cells when there are none.
void plan_table2(const ReproductionOptions& options, ExperimentPlan& plan);
/// Every system that is no row of the paper's table, beside Ordered GNN.
void plan_systems(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_tuned(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_layers64(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_large(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_depth(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_depth_tuned(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_ablation(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_gates(const ReproductionOptions& options, ExperimentPlan& plan);
void plan_runtime(const ReproductionOptions& options, ExperimentPlan& plan);

}  // namespace ordered_gnn::lab
