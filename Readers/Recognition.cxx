// SPDX-License-Identifier: BSD-3-Clause
#include "Recognition.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Describe/DescriptionText.h"
#include "Describe/Hdf5File.h"
#include "Describe/PlainRules.h"
#include "Describe/Recognisers.h"
#include "XdmfText.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace dsm::readers
{

namespace
{
namespace fs = std::filesystem;

std::string ReadText(const fs::path& path)
{
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream)
  {
    throw Error(Fault::System, "the XDMF file {} cannot be read", path.string());
  }
  return text.str();
}

std::string FolderOf(const std::string& name)
{
  return fs::path(AbsoluteName(name)).parent_path().string();
}

Recognition AsXdmf(const std::string& text, const FileNames& names, const std::string& folder,
  const std::string& why)
{
  const xdmf::Target target{ names.Opens, AbsoluteName(names.Simulated) };
  return { Kind::Xdmf, why, xdmf::Adapt(text, target, folder) };
}

std::optional<Recognition> XdmfGiven(const FileNames& names, const ReadOptions& options)
{
  if (!options.XdmfText.empty())
  {
    return AsXdmf(
      options.XdmfText, names, FolderOf(names.Simulated), "the XDMF description that was given");
  }
  if (!options.XdmfFile.empty())
  {
    return AsXdmf(ReadText(options.XdmfFile), names, FolderOf(options.XdmfFile),
      "the XDMF description in " + options.XdmfFile);
  }
  return std::nullopt;
}

std::optional<Recognition> XdmfInside(hid_t file, const FileNames& names)
{
  const auto text = hdf5::ReadText(file, "Xdmf");
  if (!text)
  {
    return std::nullopt;
  }
  try
  {
    return AsXdmf(
      *text, names, FolderOf(names.Simulated), "the file has an XDMF description of itself, /Xdmf");
  }
  catch (const Error& error)
  {
    throw Error(Fault::Usage,
      "{} describes itself in /Xdmf, and {}: choose what else to read it as", names.Opens,
      error.what());
  }
}

// "out.xdmf" or "out.h5.xdmf" for "out.h5". Not one that is incomplete, or refers to other files.
std::optional<Recognition> XdmfBeside(const FileNames& names)
{
  const fs::path data = AbsoluteName(names.Simulated);
  for (const char* ending : { ".xdmf", ".xmf" })
  {
    for (const fs::path& path :
      { fs::path(data).replace_extension(ending), fs::path(data) += ending })
    {
      std::error_code failed;
      if (!fs::is_regular_file(path, failed))
      {
        continue;
      }
      try
      {
        return AsXdmf(ReadText(path), names, FolderOf(path.string()),
          path.string() + ", which lies beside the file, describes it");
      }
      catch (const Error&)
      {
        continue;
      }
    }
  }
  return std::nullopt;
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

Recognition Described(hid_t file, const describe::Describer& describe)
{
  auto holds = describe(file, std::nullopt);
  const Kind kind = KindOf(holds.Format);
  std::string why = describe::Reason(holds);
  return { kind, std::move(why), {}, std::move(holds), describe };
}

// By shapes and names alone.
Recognition RecognisePlain(hid_t file, const FileNames& names, const ReadOptions& options)
{
  describe::PlainChoice choice;
  choice.Columns = options.CoordinateColumns;
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
  return Described(file,
    [choice, name = AbsoluteName(names.Simulated)](hid_t opened, std::optional<std::size_t> step)
    { return describe::DescribePlain({ opened, name, step }, choice); });
}

// Without a description: by its format, or else by shapes and names.
Recognition RecogniseContents(hid_t file, const FileNames& names, const ReadOptions& options)
{
  const auto& columns = options.CoordinateColumns;
  const bool named = !(columns[0].empty() && columns[1].empty() && columns[2].empty());
  const std::string name = AbsoluteName(names.Simulated);
  auto holds = named ? std::nullopt : describe::RecogniseAny({ file, name });
  if (!holds)
  {
    return RecognisePlain(file, names, options);
  }
  const auto describe = [name](hid_t opened, std::optional<std::size_t> step)
  {
    if (auto again = describe::RecogniseAny({ opened, name, step }))
    {
      return *again;
    }
    throw Error(Fault::Gone, "{} is not what it was", name);
  };
  std::string why = describe::Reason(*holds);
  return { Kind::Automatic, std::move(why), {}, std::move(holds), describe };
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
    return { options.As, why, {} };
  }
  if (options.As != Kind::Xdmf)
  {
    return RecognisePlain(file, names, options);
  }
  auto found = XdmfGiven(names, options);
  if (!found)
  {
    found = XdmfInside(file, names);
  }
  if (!found)
  {
    found = XdmfBeside(names);
  }
  if (!found)
  {
    throw Error(Fault::Usage,
      "there is no XDMF description for {}: give one as text or file, let the simulation write one "
      "into its file (a text dataset \"Xdmf\"), or beside it with the ending .xdmf",
      names.Opens);
  }
  return *found;
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
  if (options.As != Kind::Automatic)
  {
    return RecogniseAs(file, names, options);
  }
  if (auto given = XdmfGiven(names, options))
  {
    return *given;
  }
  if (hdf5::IsVtkHdf(file))
  {
    return { Kind::VtkHdf, "the file has a VTKHDF group", {} };
  }
  if (!xdmf::Available())
  {
    auto found = RecogniseContents(file, names, options);
    if (hdf5::ReadText(file, "Xdmf"))
    {
      found.Why += "; its XDMF description is of no use here: this ParaView was built without a "
                   "reader for XDMF";
    }
    return found;
  }
  if (auto inside = XdmfInside(file, names))
  {
    return *inside;
  }
  if (auto beside = XdmfBeside(names))
  {
    return *beside;
  }
  return RecogniseContents(file, names, options);
}

}
