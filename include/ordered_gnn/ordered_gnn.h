#pragma once
/// Node classification with the Ordered GNN and its peers: all that a program
/// needs.
///
///   namespace og = ordered_gnn;
///   og::NodeDataset data = og::make_dataset(edges, features, labels);
///   og::Trained model = og::train(data, /*split=*/0, og::default_options());
///   og::Prediction said = og::predict(model, data);
///
/// The library never prints or exits, and leaves the process as it was: threads
/// of LibTorch, the BLAS and OpenMP, the environment, the default dtype. What a
/// user can get wrong throws an ordered_gnn::Error; ops, which work on tensors
/// that a program made itself, throw c10::Error.

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/features.h"
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/core/random.h"
#include "ordered_gnn/data/added_nodes.h"
#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/data/loaders.h"
#include "ordered_gnn/data/make_dataset.h"
#include "ordered_gnn/data/node_order.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/splits.h"
#include "ordered_gnn/data/statistics.h"
#include "ordered_gnn/explain/attribute_importance.h"
#include "ordered_gnn/explain/attribution.h"
#include "ordered_gnn/explain/graph_explanation.h"
#include "ordered_gnn/explain/node_explanation.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/nn/ordered_gnn.h"
#include "ordered_gnn/ops/candidate_layer.h"
#include "ordered_gnn/ops/cross_entropy.h"
#include "ordered_gnn/ops/drop_edges.h"
#include "ordered_gnn/ops/dropout.h"
#include "ordered_gnn/ops/edge_dot.h"
#include "ordered_gnn/ops/edge_softmax.h"
#include "ordered_gnn/ops/feature_linear.h"
#include "ordered_gnn/ops/layer_norm.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/max_aggregate.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/ordered_layer.h"
#include "ordered_gnn/ops/propagate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "ordered_gnn/ops/weighted_aggregate.h"
#include "ordered_gnn/train/calibration.h"
#include "ordered_gnn/train/ensemble.h"
#include "ordered_gnn/train/node_prediction.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"
#include "ordered_gnn/version.h"
