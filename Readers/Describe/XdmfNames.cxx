// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/XdmfNames.h"

#include "Base/Error.h"
#include "Base/FileName.h"
#include "Describe/Text.h"

#include <algorithm>
#include <array>

namespace dsm::describe
{

namespace
{
// How well a name matches: 0 is best, none is no match.
constexpr int MatchLevels = 5;
}

std::optional<XdmfReference> ReferenceOf(const XmlElement& item)
{
  const std::string format = LowerCase(item["format"]);
  if (LowerCase(item.Name) != "dataitem" || (format != "hdf" && format != "hdf5") ||
    item.Text.empty())
  {
    return std::nullopt;
  }
  XdmfReference reference;
  std::string text = item.Text;
  if (const auto bar = text.find('|'); bar != std::string::npos)
  {
    reference.Selection = Trimmed(text.substr(bar + 1));
    text = Trimmed(text.substr(0, bar));
  }
  // How ParaView's reader of version 2 is to open the file.
  for (const std::string domain : { "SERIAL:", "FILE:", "CORE:" })
  {
    if (text.rfind(domain, 0) == 0)
    {
      text.erase(0, domain.size());
    }
  }
  // XDMF 3 writes "out.h5:Data0".
  auto colon = text.rfind(":/");
  colon = colon == std::string::npos ? text.rfind(':') : colon;
  if (colon == std::string::npos || colon + 1 >= text.size())
  {
    throw Error(Fault::Usage, "{} names no dataset: \"{}\", and \"file.h5:/path\" is expected",
      item.Told(), text);
  }
  reference.File = Trimmed(text.substr(0, colon));
  reference.Path = Trimmed(text.substr(colon + 1));
  reference.Path = reference.Path.rfind('/', 0) == 0 ? reference.Path : "/" + reference.Path;
  return reference;
}

XdmfNames::XdmfNames(const XmlElement& root, std::string simulated, std::string folder)
  : Simulated(std::move(simulated))
  , Folder(std::move(folder))
  , Best(MatchLevels)
{
  const References& all = this->Below(root);
  for (const XdmfReference& reference : all)
  {
    this->Best = std::min(this->Best, this->MatchLevel(reference.File).value_or(MatchLevels));
  }
  if (this->Best == MatchLevels)
  {
    throw Error(Fault::Usage,
      "the XDMF description does not refer to {}, nor to files whose names differ from it only in "
      "their numbers{}",
      this->Simulated, all.empty() ? "" : ": it names " + all.begin()->File);
  }
}

std::string XdmfNames::AbsoluteOf(const std::string& file) const
{
  return AbsoluteName(file.rfind('/', 0) == 0 ? file : this->Folder + "/" + file);
}

std::optional<int> XdmfNames::MatchLevel(const std::string& file) const
{
  const std::string name = this->AbsoluteOf(file);
  const std::array<bool, MatchLevels> matches = { file.empty(), name == this->Simulated,
    LastName(name) == LastName(this->Simulated), StreamName(name) == StreamName(this->Simulated),
    StreamName(LastName(name)) == StreamName(LastName(this->Simulated)) };
  const auto found = std::find(matches.begin(), matches.end(), true);
  return found == matches.end() ? std::nullopt
                                : std::optional(static_cast<int>(found - matches.begin()));
}

bool XdmfNames::IsTarget(const std::string& file) const
{
  return this->MatchLevel(file).value_or(MatchLevels) <= this->Best;
}

std::string XdmfNames::FileOf(const XdmfReference& reference) const
{
  return this->IsTarget(reference.File) ? "" : this->AbsoluteOf(reference.File);
}

const XdmfNames::References& XdmfNames::Below(const XmlElement& element)
{
  const auto known = this->Known.find(&element);
  if (known != this->Known.end())
  {
    return known->second;
  }
  References found;
  if (const auto reference = ReferenceOf(element))
  {
    found.insert(*reference);
  }
  for (const auto& child : element.Children)
  {
    const References& below = this->Below(*child);
    found.insert(below.begin(), below.end());
  }
  return this->Known.emplace(&element, std::move(found)).first->second;
}

bool XdmfNames::BelongsToIt(const XmlElement& element)
{
  const References& references = this->Below(element);
  const std::string* newest = nullptr;
  for (const XdmfReference& reference : references)
  {
    if (this->MatchLevel(reference.File) &&
      (!newest ||
        StepFromName(this->AbsoluteOf(*newest)) < StepFromName(this->AbsoluteOf(reference.File))))
    {
      newest = &reference.File;
    }
  }
  return references.empty() || (newest && this->IsTarget(*newest));
}

std::set<std::string> XdmfNames::PathsIn(const XmlElement& element)
{
  std::set<std::string> paths;
  for (const XdmfReference& reference : this->Below(element))
  {
    if (this->IsTarget(reference.File))
    {
      paths.insert(reference.Path);
    }
  }
  return paths;
}

}
