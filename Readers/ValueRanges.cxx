// SPDX-License-Identifier: BSD-3-Clause
#include "ValueRanges.h"

#include <vtkTypeTraits.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

namespace dsm::readers
{

namespace
{
// So many values are compared at the same time, each with a bound of its own. They are in the
// first-level cache, and the compiler makes vector instructions of the loop over them.
constexpr std::size_t Lanes = 256;

// The least and the greatest value for each lane. VTK's largest double is 1e299, which bounds the
// ranges where all values are larger, or where there are none.
template <typename T>
class Bounds
{
public:
  explicit Bounds(std::size_t lanes)
    : Low(lanes, vtkTypeTraits<T>::Max())
    , High(lanes, vtkTypeTraits<T>::Min())
  {
  }

  // Compares a value with the bounds of each of the first lanes. A comparison with NaN is false.
  void Add(const T* __restrict values, std::size_t lanes)
  {
    T* const __restrict low = this->Low.data();
    T* const __restrict high = this->High.data();
    for (std::size_t lane = 0; lane < lanes; ++lane)
    {
      const T value = values[lane];
      low[lane] = value < low[lane] ? value : low[lane];
      high[lane] = value > high[lane] ? value : high[lane];
    }
  }

  // Returns the bounds of each component, which has each lane of that remainder.
  std::vector<T> Of(std::size_t components) const
  {
    std::vector<T> bounds(2 * components);
    for (std::size_t component = 0; component < components; ++component)
    {
      T low = this->Low[component], high = this->High[component];
      for (std::size_t lane = component; lane < this->Low.size(); lane += components)
      {
        low = std::min(low, this->Low[lane]);
        high = std::max(high, this->High[lane]);
      }
      bounds[2 * component] = low;
      bounds[2 * component + 1] = high;
    }
    return bounds;
  }

private:
  std::vector<T> Low;
  std::vector<T> High;
};

template <typename T>
std::vector<T> BoundsOfAll(const TupleValues<T>& values)
{
  const std::size_t lanes = values.Components * std::max<std::size_t>(1, Lanes / values.Components);
  const std::size_t count = values.Tuples * values.Components;
  Bounds<T> bounds(lanes);
  std::size_t first = 0;
  for (; first + lanes <= count; first += lanes)
  {
    bounds.Add(values.First + first, lanes);
  }
  bounds.Add(values.First + first, count - first);
  return bounds.Of(values.Components);
}

// The same without infinite values, which few arrays have: in the plainest way.
template <typename T>
std::vector<T> BoundsOfFinite(const TupleValues<T>& values)
{
  Bounds<T> bounds(values.Components);
  std::vector<T> tuple(values.Components);
  for (std::size_t index = 0; index < values.Tuples; ++index)
  {
    const T* const from = values.First + index * values.Components;
    std::transform(from, from + values.Components, tuple.begin(),
      [](T value) { return std::isinf(value) ? std::numeric_limits<T>::quiet_NaN() : value; });
    bounds.Add(tuple.data(), tuple.size());
  }
  return bounds.Of(values.Components);
}

// VTK keeps the first zero that it meets, whichever sign that has.
template <typename T>
void SetSignsOfZero(const TupleValues<T>& values, std::vector<T>& bounds)
{
  for (std::size_t component = 0; component < values.Components; ++component)
  {
    T& low = bounds[2 * component];
    T& high = bounds[2 * component + 1];
    if (low != 0 && high != 0)
    {
      continue;
    }
    for (std::size_t index = component; index < values.Tuples * values.Components;
      index += values.Components)
    {
      const T value = values.First[index];
      if (value == 0)
      {
        low = low == 0 ? value : low;
        high = high == 0 ? value : high;
        break;
      }
    }
  }
}

template <typename T>
bool HasInfinite(const std::vector<T>& bounds)
{
  return std::any_of(bounds.begin(), bounds.end(), [](T bound) { return std::isinf(bound); });
}

template <typename T>
std::vector<double> AsDoubles(const std::vector<T>& bounds)
{
  std::vector<double> doubles(bounds.size());
  std::transform(bounds.begin(), bounds.end(), doubles.begin(),
    [](T bound) { return static_cast<double>(bound); });
  return doubles;
}

std::vector<double> Roots(std::vector<double> squares)
{
  for (double& square : squares)
  {
    square = std::sqrt(square);
  }
  return squares;
}
}

template <typename T>
ValueRanges ComponentRanges(const TupleValues<T>& values)
{
  std::vector<T> all = BoundsOfAll(values);
  if constexpr (std::is_floating_point_v<T>)
  {
    std::vector<T> finite = HasInfinite(all) ? BoundsOfFinite(values) : all;
    SetSignsOfZero(values, all);
    SetSignsOfZero(values, finite);
    return { AsDoubles(all), AsDoubles(finite) };
  }
  else
  {
    return { AsDoubles(all), AsDoubles(all) };
  }
}

template <typename T>
ValueRanges MagnitudeRanges(const TupleValues<T>& values)
{
  Bounds<double> all(Lanes), finite(Lanes);
  std::array<double, Lanes> squares;
  for (std::size_t first = 0; first < values.Tuples; first += Lanes)
  {
    const std::size_t count = std::min(Lanes, values.Tuples - first);
    const T* from = values.First + first * values.Components;
    for (std::size_t tuple = 0; tuple < count; ++tuple)
    {
      double sum = 0;
      for (std::size_t component = 0; component < values.Components; ++component, ++from)
      {
        const auto value = static_cast<double>(*from);
        sum += value * value;
      }
      squares[tuple] = sum;
    }
    all.Add(squares.data(), count);
    for (std::size_t tuple = 0; tuple < count; ++tuple)
    {
      squares[tuple] =
        std::isinf(squares[tuple]) ? std::numeric_limits<double>::quiet_NaN() : squares[tuple];
    }
    finite.Add(squares.data(), count);
  }
  return { Roots(all.Of(1)), Roots(finite.Of(1)) };
}

#define DSM_RANGES_OF(type)                                                                        \
  template ValueRanges ComponentRanges(const TupleValues<type>&);                                  \
  template ValueRanges MagnitudeRanges(const TupleValues<type>&)
DSM_RANGES_OF(char);
DSM_RANGES_OF(signed char);
DSM_RANGES_OF(unsigned char);
DSM_RANGES_OF(short);
DSM_RANGES_OF(unsigned short);
DSM_RANGES_OF(int);
DSM_RANGES_OF(unsigned int);
DSM_RANGES_OF(long);
DSM_RANGES_OF(unsigned long);
DSM_RANGES_OF(long long);
DSM_RANGES_OF(unsigned long long);
DSM_RANGES_OF(float);
DSM_RANGES_OF(double);

}
