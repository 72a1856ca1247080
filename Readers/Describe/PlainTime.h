// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Describe/Hdf5Contents.h"
#include "Describe/PlainShapes.h"
#include "Describe/Source.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dsm::describe
{

/// The dimension along which the datasets of a plain file have the run's steps.
struct PlainTime
{
  enum class Reason
  {
    Order,  ///< the user's axis order
    Labels, ///< of the dimension
    Times,  ///< a dataset called "time" has a value for each index
    Growth  ///< no other dimension is unlimited
  };

  std::uint64_t Steps = 0;                       ///< 0: there is no such dimension
  std::map<std::string, std::size_t> Dimensions; ///< its place, by the datasets' paths
  std::string Times; ///< path of the dataset with a time for each step; empty: there is none
  std::string Shown; ///< path of the largest of the datasets
  Reason Because = Reason::Order;

  /// Whether a dataset has the dimension.
  bool Has(const std::string& path) const { return this->Dimensions.count(path) > 0; }
};

/// The axis orders that labels of dimensions give, by the datasets' paths (AxisLabels).
using LabelsByPath = std::map<std::string, AxisOrder>;

/// Finds that dimension by the user's axis order, by labels, or by the lengths of datasets. If
/// these are no evidence, the result has no steps.
PlainTime FindPlainTime(
  const std::vector<hdf5::Object>& objects, const LabelsByPath& labels, const AxisOrder& order);

/// Returns the path of a dataset "time" with a value for each index of a dataset's first dimension.
/// Returns nothing if there is none, or if the dataset has one dimension.
std::string TimesAlongFirst(const std::vector<hdf5::Object>& objects, const hdf5::Object& dataset);

/// Returns the objects as they are at one step: without the dimension, and without its times.
std::vector<hdf5::Object> AtOneStep(std::vector<hdf5::Object> objects, const PlainTime& time);

/// Adds the dimension to a source of such an object.
void InsertStep(Source& source, const PlainTime& time, std::size_t step);

}
