// SPDX-License-Identifier: BSD-3-Clause
// A description in XDMF: it is refused by Error alone; what comes of it can be filled, and takes
// nothing but what its datasets have. The dataset "…/u7x5x9" has that shape, others do not exist.
#include "Fuzz.h"

#include "Describe/Check.h"
#include "Describe/DescriptionText.h"
#include "Describe/Text.h"
#include "Describe/Xdmf.h"

#include <map>

namespace
{
using namespace dsm::describe;

class Shaped final : public NamedData
{
public:
  bool Has(const std::string&, const std::string& path) const override
  {
    return dsm::fuzz::Accepted([&] { this->Shape("", path); });
  }

  std::vector<std::uint64_t> Shape(const std::string&, const std::string& path) const override
  {
    std::vector<std::uint64_t> shape;
    for (const std::string& size : Split(path.substr(path.find_last_of("/u") + 1), "x"))
    {
      const auto count = AsCount(size);
      if (!count || shape.size() == 32)
      {
        throw dsm::Error(dsm::Fault::Usage, "there is no dataset {}", path);
      }
      shape.push_back(*count);
    }
    return shape;
  }

  const std::vector<double>& Numbers(
    const std::string& file, const std::string& path, std::uint64_t most) const override
  {
    std::uint64_t count = 1;
    for (const std::uint64_t size : this->Shape(file, path))
    {
      count = size == 0 || count <= std::min<std::uint64_t>(most, 10000) / size ? count * size : 0;
    }
    if (count == 0)
    {
      throw dsm::Error(dsm::Fault::Unsupported, "{} is large", path);
    }
    auto& numbers = this->Known[path];
    for (numbers.clear(); numbers.size() < count;)
    {
      numbers.push_back(static_cast<double>(numbers.size()));
    }
    return numbers;
  }

private:
  mutable std::map<std::string, std::vector<double>> Known;
};

// Whether a source takes only what is there.
void RequireInside(const Source& source)
{
  std::uint64_t taken = 1;
  for (const Dimension& dimension : source.Dimensions)
  {
    taken *= dimension.Count;
  }
  if (const auto* literal = std::get_if<Literal>(&source.From))
  {
    dsm::fuzz::Require(taken == literal->Values.size(), "a literal's numbers are all used");
  }
  if (const auto* stored = std::get_if<Stored>(&source.From))
  {
    const auto shape = Shaped().Shape(stored->File, stored->Path);
    std::uint64_t all = 1;
    for (const std::uint64_t size : shape)
    {
      all *= size;
    }
    if (stored->FlatFrom)
    {
      dsm::fuzz::Require(taken <= all && *stored->FlatFrom <= all - taken, "a run lies inside");
    }
    else
    {
      dsm::fuzz::Require(source.Dimensions.size() == shape.size(), "each dimension is said");
      for (std::size_t i = 0; i < shape.size(); ++i)
      {
        const Dimension& one = source.Dimensions[i];
        dsm::fuzz::Require(one.Stride > 0 &&
            (one.Count == 0 ? one.Start <= shape[i]
                            : one.Start < shape[i] &&
                  (one.Count - 1) <= (shape[i] - 1 - one.Start) / one.Stride),
          "a selection lies inside");
      }
    }
  }
  for (const Source& added : source.Added)
  {
    RequireInside(added);
  }
}

template <typename Sources>
void RequireAllInside(const Sources& sources)
{
  for (const Source& source : sources)
  {
    RequireInside(source);
  }
}

struct Geometries
{
  void operator()(const Rows&) const {}
  void operator()(const Uniform&) const {}
  void operator()(const Rectilinear& on) const { RequireAllInside(on.Axes); }
  void operator()(const Curvilinear& on) const { RequireAllInside(on.At); }
  void operator()(const Vertices& on) const { RequireAllInside(on.At); }
  void operator()(const Unstructured& on) const
  {
    RequireAllInside(on.At);
    if (const auto* same = std::get_if<SameCells>(&on.By))
    {
      RequireInside(same->Connectivity);
    }
    if (const auto* mixed = std::get_if<MixedCells>(&on.By))
    {
      RequireInside(mixed->List);
    }
  }
};
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  using namespace dsm;
  const XdmfText text{ { "out.xmf", std::string(reinterpret_cast<const char*>(data), size) },
    "/run", "/run/out.h5" };
  const XmlLoader load = [](const std::string& name, const std::string&)
  { return XmlSource{ name, "<Xdmf><Domain><Grid><Time Value='1'/></Grid></Domain></Xdmf>" }; };
  for (const std::size_t step : { 0, 1 })
  {
    Description made;
    if (!fuzz::Accepted([&] { made = XdmfDocument(text, load).Describe(Shaped(), step); }))
    {
      continue;
    }
    fuzz::Require(!Text(made).empty(), "a description is told");
    if (!fuzz::Accepted([&] { Check(made); }))
    {
      continue;
    }
    for (const Part& part : made.Parts)
    {
      std::visit(Geometries(), part.On);
      for (const Array& array : part.Arrays)
      {
        RequireAllInside(array.Sources);
      }
    }
  }
  return 0;
}
