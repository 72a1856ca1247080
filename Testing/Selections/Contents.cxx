// SPDX-License-Identifier: BSD-3-Clause
#include "Contents.h"

#include "Random.h"

#include <algorithm>

namespace selections
{

std::vector<std::uint8_t> FillBytes(const DatasetPlan& plan)
{
  std::vector<std::uint8_t> bytes(plan.Type.Size, 0);
  if (plan.Fill == FillValue::Given)
  {
    for (std::size_t i = 0; i < bytes.size(); ++i)
    {
      bytes[i] = static_cast<std::uint8_t>(0xf1 + i);
    }
  }
  return bytes;
}

void WrittenBytes(std::uint64_t values, hsize_t element, std::uint8_t* bytes, std::size_t size)
{
  Random random(values ^ Mix(element + 1));
  for (std::size_t i = 0; i < size; ++i)
  {
    bytes[i] = static_cast<std::uint8_t>(random.Next());
  }
}

Contents::Contents(const DatasetPlan& plan)
  : Size(plan.Type.Size)
  , KnowsFill(plan.KnowsUnwritten())
  , Fill(FillBytes(plan))
{
  this->Resize(plan.Extent);
}

void Contents::Write(const DatasetMove& move, std::uint64_t values)
{
  for (const Part& part : move.Parts)
  {
    for (const hsize_t element : part.File.Elements())
    {
      WrittenBytes(values, element, this->Bytes.data() + element * this->Size, this->Size);
      this->Known[element] = true;
    }
  }
}

void Contents::Resize(const Place& extent)
{
  const hsize_t elements = ElementsOf(extent);
  std::vector<std::uint8_t> bytes(elements * this->Size);
  std::vector<bool> known(elements, this->KnowsFill);
  for (hsize_t element = 0; element < elements; ++element)
  {
    // Where it was before, if it was.
    hsize_t rest = element;
    hsize_t before = 0;
    hsize_t width = 1;
    bool was = !this->Extent.empty();
    for (std::size_t d = extent.size(); was && d-- > 0;)
    {
      const hsize_t at = rest % extent[d];
      rest /= extent[d];
      was = at < this->Extent[d];
      before += at * width;
      width *= this->Extent[d];
    }
    const auto* from = was ? this->Element(before) : this->Fill.data();
    std::copy_n(
      from, this->Size, bytes.begin() + static_cast<std::ptrdiff_t>(element * this->Size));
    if (was)
    {
      known[element] = this->Known[before];
    }
  }
  this->Extent = extent;
  this->Bytes.swap(bytes);
  this->Known.swap(known);
}

}
