// SPDX-License-Identifier: BSD-3-Clause
#include "Recognition.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Describe/Hdf5Facts.h"
#include "Describe/Hdf5File.h"
#include "Describe/NothingYet.h"
#include "Describe/PlainRules.h"
#include "Describe/RecipeRecogniser.h"
#include "Describe/RecipeValues.h"
#include "Describe/Recognisers.h"
#include "Describe/VtkHdfCheck.h"
#include "Describe/XdmfFinder.h"

#include <utility>

namespace dsm::readers
{

namespace
{
using describe::FoundXdmf;

Recognition Described(Kind kind, hid_t file, const describe::Describer& describe)
{
  auto holds = describe(file, std::nullopt);
  std::string why = holds.Rule;
  return { kind, std::move(why), std::move(holds), describe };
}

Recognition ByXdmf(hid_t file, const FileNames& names, const FoundXdmf& found)
{
  return Described(Kind::Xdmf, file,
    [found, names](hid_t opened, std::optional<std::size_t> step)
    {
      try
      {
        return found.Describe(opened, AbsoluteName(names.Simulated), step);
      }
      catch (const Error& error)
      {
        throw Error(error.GetFault(), "{} cannot be read by its description in XDMF: {}",
          names.Opens, error.what());
      }
    });
}

std::optional<Recognition> XdmfGiven(hid_t file, const FileNames& names, const ReadOptions& options)
{
  const std::string name = AbsoluteName(names.Simulated);
  if (!options.XdmfText.empty())
  {
    return ByXdmf(file, names, describe::XdmfFromText(options.XdmfText, name));
  }
  if (!options.XdmfFile.empty())
  {
    return ByXdmf(file, names, describe::XdmfFromFile(options.XdmfFile, name));
  }
  return std::nullopt;
}

// In the file, or else beside it.
std::optional<Recognition> XdmfFound(hid_t file, const FileNames& names)
{
  const std::string name = AbsoluteName(names.Simulated);
  std::optional<FoundXdmf> inside;
  try
  {
    inside = describe::XdmfInside(file, name);
  }
  catch (const Error& error)
  {
    throw Error(Fault::Usage,
      "{} describes itself in /Xdmf, and {}: choose what else to read it as", names.Opens,
      error.what());
  }
  if (inside)
  {
    return ByXdmf(file, names, *inside);
  }
  const auto beside = describe::XdmfBeside(name);
  return beside ? std::optional(ByXdmf(file, names, *beside)) : std::nullopt;
}

std::optional<Recognition> RecipeGiven(
  hid_t file, const FileNames& names, const ReadOptions& options)
{
  if (options.RecipeText.empty() && options.RecipeFile.empty())
  {
    return std::nullopt;
  }
  const auto recipe = options.RecipeText.empty()
    ? describe::RecipeFromFile(options.RecipeFile)
    : describe::RecipeFromText(options.RecipeText, "the recipe that is set");
  return Described(Kind::Automatic, file,
    [recipe, names](hid_t opened, std::optional<std::size_t> step)
    {
      const describe::Hdf5Facts facts(opened);
      return describe::DescribeOnlyBy(recipe, { facts, AbsoluteName(names.Simulated), step });
    });
}

Kind KindOf(const std::string& format)
{
  for (const Kind kind : { Kind::Image, Kind::Table, Kind::Points })
  {
    if (format == KindName(kind))
    {
      return kind;
    }
  }
  return Kind::Automatic;
}

[[noreturn]] void RefuseSettings(const FileNames& names, const std::string& format)
{
  throw Error(Fault::Usage,
    "{} is {}, which defines its own geometry: clear Axis Order, Origin, Spacing, Data Association "
    "and Time From, or set Read As",
    names.Opens, format);
}

// ParaView's reader trusts the file.
Recognition AsVtkHdf(
  hid_t file, const FileNames& names, const ReadOptions& options, const std::string& why)
{
  if (options.Set.Any())
  {
    RefuseSettings(names, KindName(Kind::VtkHdf));
  }
  try
  {
    Recognition found{ Kind::VtkHdf, why };
    found.Left = describe::CheckVtkHdf(file);
    return found;
  }
  catch (const describe::NothingYet&)
  {
    throw;
  }
  catch (const Error& error)
  {
    throw Error(error.GetFault(), "{} cannot be read as {}: {}", names.Opens,
      KindName(Kind::VtkHdf), error.what());
  }
}

// By shapes and names alone.
Recognition RecognisePlain(hid_t file, const FileNames& names, const ReadOptions& options)
{
  describe::PlainChoice choice;
  choice.Columns = options.CoordinateColumns;
  choice.StepGroups = options.StepGroups;
  choice.GridCoordinates = options.GridCoordinates;
  if (!options.Set.AxisOrder.empty())
  {
    choice.Order = describe::ParseAxisOrder(options.Set.AxisOrder);
  }
  switch (options.As)
  {
    case Kind::Image:
      choice.Show = describe::PlainChoice::As::Image;
      break;
    case Kind::Table:
      choice.Show = describe::PlainChoice::As::Table;
      break;
    case Kind::Points:
      choice.Show = describe::PlainChoice::As::Points;
      break;
    default:
      break;
  }
  Recognition found = Described(Kind::Automatic, file,
    [choice, name = AbsoluteName(names.Simulated)](hid_t opened, std::optional<std::size_t> step)
    {
      const describe::Hdf5Facts facts(opened);
      return describe::DescribePlain({ facts, name, step }, choice);
    });
  found.As = KindOf(found.Name());
  return found;
}

// Without a description: by its format, or else by shapes and names.
Recognition RecogniseContents(hid_t file, const FileNames& names, const ReadOptions& options)
{
  const auto& columns = options.CoordinateColumns;
  const bool named = !(columns[0].empty() && columns[1].empty() && columns[2].empty());
  const std::string name = AbsoluteName(names.Simulated);
  const describe::Hdf5Facts facts(file);
  auto holds = named ? std::nullopt : describe::RecogniseAny({ facts, name });
  if (!holds)
  {
    return RecognisePlain(file, names, options);
  }
  const auto describe = [name](hid_t opened, std::optional<std::size_t> step)
  {
    const describe::Hdf5Facts facts(opened);
    if (auto again = describe::RecogniseAny({ facts, name, step }))
    {
      return *again;
    }
    throw Error(Fault::Gone, "{} is not what it was", name);
  };
  std::string why = holds->Rule;
  return { Kind::Automatic, std::move(why), std::move(holds), describe };
}

Recognition RecogniseAs(hid_t file, const FileNames& names, const ReadOptions& options)
{
  const std::string why = "as was asked for";
  if (options.As == Kind::VtkHdf && !hdf5::IsVtkHdf(file))
  {
    throw Error(Fault::Usage,
      "{} has no VTKHDF group, so it cannot be read as VTKHDF: choose automatic", names.Opens);
  }
  if (options.As == Kind::VtkHdf)
  {
    return AsVtkHdf(file, names, options, why);
  }
  if (options.As != Kind::Xdmf)
  {
    return RecognisePlain(file, names, options);
  }
  auto found = XdmfGiven(file, names, options);
  found = found ? found : XdmfFound(file, names);
  if (!found)
  {
    throw Error(Fault::Usage,
      "there is no XDMF description for {}: give one as text or file, let the simulation write one "
      "into its file (a text dataset \"Xdmf\"), or beside it with the ending .xdmf",
      names.Opens);
  }
  return *found;
}

Recognition RecogniseFreely(hid_t file, const FileNames& names, const ReadOptions& options)
{
  if (auto given = RecipeGiven(file, names, options))
  {
    return *given;
  }
  if (auto given = XdmfGiven(file, names, options))
  {
    return *given;
  }
  if (hdf5::IsVtkHdf(file))
  {
    return AsVtkHdf(file, names, options, "the file has a VTKHDF group");
  }
  if (auto found = XdmfFound(file, names))
  {
    return *found;
  }
  return RecogniseContents(file, names, options);
}

// The numbers that the user names for the time.
std::vector<double> TimesIn(hid_t file, const std::string& place)
{
  if (place.empty())
  {
    return {};
  }
  const describe::Hdf5Facts facts(file);
  return describe::RecipeValues(facts).Numbers(place);
}

// What users have set is put in place of what was assumed.
Recognition RecogniseKnown(hid_t file, const FileNames& names, const ReadOptions& options)
{
  Recognition found = options.As == Kind::Automatic ? RecogniseFreely(file, names, options)
                                                    : RecogniseAs(file, names, options);
  if (!options.Set.Any())
  {
    return found;
  }
  if (!found.Holds)
  {
    RefuseSettings(names, found.Name());
  }
  found.Describe = [before = found.Describe, set = options.Set, name = names.Opens](
                     hid_t opened, std::optional<std::size_t> step)
  {
    try
    {
      const auto times = TimesIn(opened, set.Time);
      return describe::Override(before(opened, step), set, times, step);
    }
    catch (const Error& error)
    {
      throw Error(error.GetFault(), "{} cannot be shown as is set: {}", name, error.what());
    }
  };
  found.Holds = found.Describe(file, std::nullopt);
  return found;
}
}

const char* KindName(Kind kind)
{
  switch (kind)
  {
    case Kind::VtkHdf:
      return "VTKHDF";
    case Kind::Xdmf:
      return "XDMF";
    case Kind::Image:
      return "image";
    case Kind::Table:
      return "table";
    case Kind::Points:
      return "points";
    default:
      return "automatic";
  }
}

std::string Recognition::Name() const
{
  return this->Holds ? this->Holds->Format : KindName(this->As);
}

Recognition Recognise(hid_t file, const FileNames& names, const ReadOptions& options)
{
  std::optional<Recognition> made;
  const describe::Hdf5Facts facts(file);
  auto holds = describe::DescribeOrWait(facts,
    [&]
    {
      made = RecogniseKnown(file, names, options);
      return made->Holds.value_or(describe::Description{});
    });
  if (made)
  {
    return *made;
  }
  holds.Format = options.As == Kind::Automatic ? holds.Format : KindName(options.As);
  return { options.As, holds.Rule, holds,
    [holds](hid_t, std::optional<std::size_t>) { return holds; } };
}

}
