#pragma once
#include <cstdint>
#include <optional>

#include "data/fingerprint.h"
#include "scale/parts/list_cutter.h"
#include "scale/parts/row_spool.h"
#include "scale/parts/streamed.h"
#include "scale/parts/work_folder.h"
#include "scale/parts/writer.h"

namespace ordered_gnn::scale {

/// The treatment of a graph whose features have this least value.
Treatment streamed_treatment(const TreatmentChoice& choice,
                             const RawDataset& nodes, float minimum);

/// One cut from its source to its folder.
class StreamedWriter {
 public:
  /// All must outlive it.
  /// @param entries  of lists, in memory at a time.
  StreamedWriter(data::GraphSource& source, const StreamedCut& cut,
                 int64_t entries);

  StreamedParts run();

 private:
  float spool_features();
  PartsManifest manifest(const PartsPlan& plan, int64_t edges) const;
  void write_lists(const StoredLists& lists, const PartsPlan& plan,
                   StreamedParts& result, PartsWriter& writer) const;
  void write_features(const Assignment& assignment, float minimum,
                      PartsWriter& writer);

  data::GraphSource& source_;
  const RawDataset& nodes_;
  const StreamedCut& cut_;
  const int64_t entries_;
  const WorkFolder work_;
  std::optional<RowSpool> spool_;
  data::StreamedFingerprint fingerprint_;
  Treatment treatment_;
};

}  // namespace ordered_gnn::scale
