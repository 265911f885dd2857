#pragma once

namespace ordered_gnn::bench {

/// Reading and writing CSV folders of about 100 MB; goal: above 100 MB/s.
void add_csv_load();
/// Reading a dataset of one million nodes from our .npz against reading its
/// bytes; goals: at most 3 times the time, a peak of at most twice the data.
void add_npz_load();
/// Parsing a safetensors header of 100 MB, and the checksum of 1 GiB; goals:
/// under 2 s, above 1 GB/s.
void add_safetensors();

/// Mean, normalised, weighted and attentive sums over neighbours, forward and
/// backward.
void add_edge_sums();

/// Gathering rows stored in float32 and in bfloat16; needs AVX-512.
void add_stored_rows();

/// Products as a share of the machine's multiply-adds, sums over neighbours as
/// a share of its reading of rows, for 1 thread and more; needs AVX-512.
void add_machine_shares();

}  // namespace ordered_gnn::bench
