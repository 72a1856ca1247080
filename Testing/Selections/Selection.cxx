// SPDX-License-Identifier: BSD-3-Clause
#include "Selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace selections
{

namespace
{

/// Whether each element of the array is in the slab.
std::vector<bool> Inside(const Slab& slab, const Place& extent)
{
  std::vector<bool> inside(ElementsOf(extent));
  for (hsize_t index = 0; index < inside.size(); ++index)
  {
    hsize_t rest = index;
    bool in = true;
    for (std::size_t d = extent.size(); d-- > 0;)
    {
      const hsize_t at = rest % extent[d];
      rest /= extent[d];
      const hsize_t from = at - slab.Start[d];
      in = in && at >= slab.Start[d] && from / slab.Stride[d] < slab.Count[d] &&
        from % slab.Stride[d] < slab.Block[d];
    }
    inside[index] = in;
  }
  return inside;
}

bool Combine(bool before, H5S_seloper_t how, bool now)
{
  switch (how)
  {
    case H5S_SELECT_OR:
      return before || now;
    case H5S_SELECT_AND:
      return before && now;
    case H5S_SELECT_XOR:
      return before != now;
    case H5S_SELECT_NOTB:
      return before && !now;
    case H5S_SELECT_NOTA:
      return now && !before;
    default:
      return now;
  }
}

const char* OperationName(H5S_seloper_t how)
{
  switch (how)
  {
    case H5S_SELECT_OR:
      return "or";
    case H5S_SELECT_AND:
      return "and";
    case H5S_SELECT_XOR:
      return "xor";
    case H5S_SELECT_NOTB:
      return "notb";
    case H5S_SELECT_NOTA:
      return "nota";
    default:
      return "set";
  }
}

/// What H5Sselect_elements takes.
std::vector<hsize_t> Coordinates(const std::vector<hsize_t>& points, const Place& extent)
{
  std::vector<hsize_t> coordinates(points.size() * extent.size());
  for (std::size_t i = 0; i < points.size(); ++i)
  {
    hsize_t rest = points[i];
    for (std::size_t d = extent.size(); d-- > 0;)
    {
      coordinates[i * extent.size() + d] = rest % extent[d];
      rest /= extent[d];
    }
  }
  return coordinates;
}

}

hsize_t ElementsOf(const Place& extent)
{
  return std::accumulate(extent.begin(), extent.end(), hsize_t{ 1 }, std::multiplies<>());
}

std::string Text(const Place& extent)
{
  return fmt::format("{}", fmt::join(extent, "x"));
}

Slab Slab::Box(const Place& begin, const Place& end)
{
  Slab box{ begin, Place(begin.size(), 1), Place(begin.size(), 1), end };
  for (std::size_t d = 0; d < begin.size(); ++d)
  {
    box.Stride[d] = box.Block[d] = end[d] - begin[d];
  }
  return box;
}

std::vector<hsize_t> Selection::Elements() const
{
  if (this->Is == Kind::Points)
  {
    return this->Points;
  }
  std::vector<bool> chosen(ElementsOf(this->Extent), this->Is == Kind::All);
  for (const Term& term : this->Terms)
  {
    const std::vector<bool> now = Inside(term.What, this->Extent);
    for (std::size_t i = 0; i < chosen.size(); ++i)
    {
      chosen[i] = Combine(chosen[i], term.How, now[i]);
    }
  }
  std::vector<hsize_t> elements;
  for (hsize_t i = 0; i < chosen.size(); ++i)
  {
    if (chosen[i])
    {
      elements.push_back(i);
    }
  }
  return elements;
}

hid_t Selection::MakeSpace() const
{
  const hid_t space =
    H5Screate_simple(static_cast<int>(this->Extent.size()), this->Extent.data(), nullptr);
  if (space < 0)
  {
    return space;
  }
  herr_t done = 0;
  switch (this->Is)
  {
    case Kind::All:
      break;
    case Kind::None:
      done = H5Sselect_none(space);
      break;
    case Kind::Points:
      done = H5Sselect_elements(
        space, H5S_SELECT_SET, this->Points.size(), Coordinates(this->Points, this->Extent).data());
      break;
    case Kind::Slabs:
      for (std::size_t i = 0; i < this->Terms.size() && done >= 0; ++i)
      {
        const Slab& slab = this->Terms[i].What;
        done = H5Sselect_hyperslab(space, this->Terms[i].How, slab.Start.data(), slab.Stride.data(),
          slab.Count.data(), slab.Block.data());
      }
      break;
  }
  if (done < 0)
  {
    H5Sclose(space);
    return H5I_INVALID_HID;
  }
  return space;
}

bool Selection::IsFoundInChunks(const Place& chunk) const
{
  if (this->Terms.size() < 2)
  {
    return true;
  }
  const hid_t space = this->MakeSpace();
  const Place one(chunk.size(), 1);
  hssize_t found = 0;
  Place begin(chunk.size(), 0);
  for (std::size_t d = 0; d < chunk.size();)
  {
    const hid_t part =
      H5Scombine_hyperslab(space, H5S_SELECT_AND, begin.data(), nullptr, one.data(), chunk.data());
    found += part >= 0 ? H5Sget_select_npoints(part) : 0;
    H5Sclose(part);
    for (d = 0; d < chunk.size() && (begin[d] += chunk[d]) >= this->Extent[d]; ++d)
    {
      begin[d] = 0;
    }
  }
  H5Sclose(space);
  return static_cast<std::size_t>(found) == this->Elements().size();
}

std::string Selection::ToText() const
{
  switch (this->Is)
  {
    case Kind::All:
      return "all of " + Text(this->Extent);
    case Kind::None:
      return "none";
    case Kind::Points:
      return fmt::format("points {} of {}", fmt::join(this->Points, ","), Text(this->Extent));
    case Kind::Slabs:
      break;
  }
  std::string text = "of " + Text(this->Extent);
  for (const Term& term : this->Terms)
  {
    text += fmt::format(" {} start {} stride {} count {} block {}", OperationName(term.How),
      fmt::join(term.What.Start, ","), fmt::join(term.What.Stride, ","),
      fmt::join(term.What.Count, ","), fmt::join(term.What.Block, ","));
  }
  return text;
}

}
