// SPDX-License-Identifier: BSD-3-Clause
#include "RangedArray.h"

#include "ValueRanges.h"

#include <vtkCharArray.h>
#include <vtkIdTypeArray.h>
#include <vtkLongArray.h>
#include <vtkObjectFactory.h>
#include <vtkTypeFloat32Array.h>
#include <vtkTypeFloat64Array.h>
#include <vtkTypeInt16Array.h>
#include <vtkTypeInt32Array.h>
#include <vtkTypeInt64Array.h>
#include <vtkTypeInt8Array.h>
#include <vtkTypeUInt16Array.h>
#include <vtkTypeUInt32Array.h>
#include <vtkTypeUInt64Array.h>
#include <vtkTypeUInt8Array.h>
#include <vtkUnsignedLongArray.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <tuple>

namespace dsm::readers
{

namespace
{
// Is an instance of VTK's class, also by name: nothing else has to know this one.
template <typename Array>
class RangedArray final : public Array
{
public:
  static RangedArray* New() { VTK_STANDARD_NEW_BODY(RangedArray); }

protected:
  bool ComputeScalarRange(
    double* ranges, const unsigned char* ghosts, unsigned char ghostsToSkip) override
  {
    return this->Answers(ghosts) ? this->Copy(&ValueRanges::All, this->Components, ranges)
                                 : Array::ComputeScalarRange(ranges, ghosts, ghostsToSkip);
  }

  bool ComputeFiniteScalarRange(
    double* ranges, const unsigned char* ghosts, unsigned char ghostsToSkip) override
  {
    return this->Answers(ghosts) ? this->Copy(&ValueRanges::Finite, this->Components, ranges)
                                 : Array::ComputeFiniteScalarRange(ranges, ghosts, ghostsToSkip);
  }

  bool ComputeVectorRange(
    double range[2], const unsigned char* ghosts, unsigned char ghostsToSkip) override
  {
    return this->Answers(ghosts) ? this->Copy(&ValueRanges::All, this->Magnitudes, range)
                                 : Array::ComputeVectorRange(range, ghosts, ghostsToSkip);
  }

  bool ComputeFiniteVectorRange(
    double range[2], const unsigned char* ghosts, unsigned char ghostsToSkip) override
  {
    return this->Answers(ghosts) ? this->Copy(&ValueRanges::Finite, this->Magnitudes, range)
                                 : Array::ComputeFiniteVectorRange(range, ghosts, ghostsToSkip);
  }

private:
  using Value = typename Array::ValueType;
  using State = std::tuple<vtkMTimeType, const Value*, vtkIdType, int>;

  // The ranges of an array in some state.
  struct Known
  {
    ValueRanges (*Compute)(const TupleValues<Value>&);
    std::optional<State> Of = std::nullopt;
    ValueRanges Ranges = {};
  };

  RangedArray() = default;
  ~RangedArray() override = default;

  bool Answers(const unsigned char* ghosts) { return !ghosts && this->GetNumberOfTuples() > 0; }

  // Attributes that share the array may be asked in several threads.
  bool Copy(std::vector<double> ValueRanges::* which, Known& known, double* ranges)
  {
    const std::lock_guard lock(this->Mutex);
    const State now{ this->GetMTime(), this->GetPointer(0), this->GetNumberOfTuples(),
      this->GetNumberOfComponents() };
    if (known.Of != now)
    {
      known.Ranges =
        known.Compute({ this->GetPointer(0), static_cast<std::size_t>(this->GetNumberOfTuples()),
          static_cast<std::size_t>(this->GetNumberOfComponents()) });
      known.Of = now;
    }
    const auto& found = known.Ranges.*which;
    std::copy(found.begin(), found.end(), ranges);
    return true;
  }

  std::mutex Mutex;
  Known Components{ ComponentRanges<Value> };
  Known Magnitudes{ MagnitudeRanges<Value> };
};

template <typename Array>
vtkSmartPointer<vtkDataArray> Make()
{
  return vtk::TakeSmartPointer<vtkDataArray>(RangedArray<Array>::New());
}
}

vtkSmartPointer<vtkDataArray> NewRangedArray(int type)
{
  switch (type)
  {
    case VTK_SIGNED_CHAR:
      return Make<vtkTypeInt8Array>();
    case VTK_UNSIGNED_CHAR:
      return Make<vtkTypeUInt8Array>();
    case VTK_SHORT:
      return Make<vtkTypeInt16Array>();
    case VTK_UNSIGNED_SHORT:
      return Make<vtkTypeUInt16Array>();
    case VTK_INT:
      return Make<vtkTypeInt32Array>();
    case VTK_UNSIGNED_INT:
      return Make<vtkTypeUInt32Array>();
    case VTK_CHAR:
      return Make<vtkCharArray>();
    case VTK_LONG:
      return Make<vtkLongArray>();
    case VTK_UNSIGNED_LONG:
      return Make<vtkUnsignedLongArray>();
    case VTK_ID_TYPE:
      return Make<vtkIdTypeArray>();
    case VTK_LONG_LONG:
      return Make<vtkTypeInt64Array>();
    case VTK_UNSIGNED_LONG_LONG:
      return Make<vtkTypeUInt64Array>();
    case VTK_FLOAT:
      return Make<vtkTypeFloat32Array>();
    case VTK_DOUBLE:
      return Make<vtkTypeFloat64Array>();
    default:
      return nullptr;
  }
}

}
