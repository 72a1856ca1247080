// SPDX-License-Identifier: BSD-3-Clause
#include "ArrayElements.h"

#include "Base/Error.h"

#include <vtkArrayDispatch.h>
#include <vtkDataArray.h>
#include <vtkDataArrayRange.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

using dsm::Error;
using dsm::Fault;

namespace
{
template <typename To, typename From>
[[noreturn]] void Refuse(From value, const std::string& element)
{
  throw Error(Fault::Refused, "the value {} does not fit into elements of type {} ({} to {})",
    +value, element, +std::numeric_limits<To>::lowest(), +std::numeric_limits<To>::max());
}

template <typename To, typename From>
To Convert(From value, const std::string& element)
{
  if constexpr (std::is_integral_v<To> && std::is_integral_v<From>)
  {
    if (!std::in_range<To>(+value))
    {
      Refuse<To>(value, element);
    }
  }
  else if constexpr (std::is_integral_v<To>)
  {
    const double rounded = std::nearbyint(static_cast<double>(value));
    // The first number above those of the type is a power of two, which a double has exactly.
    const double above = std::ldexp(1.0, std::numeric_limits<To>::digits);
    const double lowest = std::is_signed_v<To> ? -above : 0;
    if (!(rounded >= lowest && rounded < above))
    {
      Refuse<To>(value, element);
    }
    return static_cast<To>(rounded);
  }
  else if constexpr (std::is_same_v<To, float> && std::is_same_v<From, double>)
  {
    if (std::isfinite(value) && !std::isfinite(static_cast<float>(value)))
    {
      Refuse<To>(value, element);
    }
  }
  return static_cast<To>(value);
}

// Calls `work` with a value of the C++ type that an element type has.
template <typename Work>
auto WithType(const std::string& element, const Work& work)
{
  if (element == "uint8")
  {
    return work(std::uint8_t());
  }
  if (element == "int32")
  {
    return work(std::int32_t());
  }
  if (element == "int64")
  {
    return work(std::int64_t());
  }
  if (element == "float32")
  {
    return work(float());
  }
  return work(double());
}

template <typename To>
struct Converter
{
  template <typename Array>
  void operator()(Array* values, const std::string& element, std::byte* place) const
  {
    for (const auto value : vtk::DataArrayValueRange(values))
    {
      using From = std::remove_cvref_t<decltype(value)>;
      const To converted = Convert<To>(static_cast<From>(value), element);
      std::memcpy(place, &converted, sizeof converted);
      place += sizeof converted;
    }
  }
};
}

std::vector<std::byte> ElementsOf(vtkDataArray& values, const std::string& element)
{
  return WithType(element,
    [&]<typename To>(To)
    {
      std::vector<std::byte> elements(
        static_cast<std::size_t>(values.GetNumberOfValues()) * sizeof(To));
      const Converter<To> converter;
      if (!vtkArrayDispatch::Dispatch::Execute(&values, converter, element, elements.data()))
      {
        converter(&values, element, elements.data());
      }
      return elements;
    });
}

std::vector<std::byte> ElementOf(double value, const std::string& element)
{
  return WithType(element,
    [&]<typename To>(To)
    {
      const To converted = Convert<To>(value, element);
      std::vector<std::byte> bytes(sizeof converted);
      std::memcpy(bytes.data(), &converted, sizeof converted);
      return bytes;
    });
}

std::vector<double> NumbersOf(const std::vector<std::byte>& elements, const std::string& element)
{
  return WithType(element,
    [&]<typename From>(From)
    {
      std::vector<double> numbers(elements.size() / sizeof(From));
      for (std::size_t index = 0; index < numbers.size(); ++index)
      {
        From value{};
        std::memcpy(&value, elements.data() + index * sizeof value, sizeof value);
        numbers[index] = static_cast<double>(value);
      }
      return numbers;
    });
}
