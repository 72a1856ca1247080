// SPDX-License-Identifier: BSD-3-Clause
#include "XdmfText.h"

#include "Base/Error.h"
#include "Base/FileName.h"

#include <vtk_libxml2.h>
// clang-format off
#include VTKLIBXML2_HEADER(parser.h)
#include VTKLIBXML2_HEADER(tree.h)
#include VTKLIBXML2_HEADER(xinclude.h)
#include VTKLIBXML2_HEADER(xpath.h)
// clang-format on

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace dsm::xdmf
{

namespace
{
struct Free
{
  void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
  void operator()(xmlXPathContext* context) const { xmlXPathFreeContext(context); }
  void operator()(xmlXPathObject* found) const { xmlXPathFreeObject(found); }
  void operator()(xmlChar* text) const { xmlFree(text); }
};
template <typename Thing>
using Owned = std::unique_ptr<Thing, Free>;

/// "out.h5:/u" in a DataItem.
struct Reference
{
  xmlNode* Item = nullptr;
  std::string File; ///< as the text says
  std::string Name; ///< absolute
  std::string Path; ///< of the dataset
};

std::string LastPart(const std::string& name)
{
  return name.substr(name.rfind('/') + 1);
}

// How well a reference matches the target: 0 is best, none is no match.
constexpr int MatchLevels = 5;
std::optional<int> MatchLevel(const Reference& reference, const Target& target)
{
  const std::array<bool, MatchLevels> matches = { reference.File.empty(),
    reference.Name == target.Simulated, LastPart(reference.Name) == LastPart(target.Simulated),
    StreamName(reference.Name) == StreamName(target.Simulated),
    StreamName(LastPart(reference.Name)) == StreamName(LastPart(target.Simulated)) };
  const auto found = std::find(matches.begin(), matches.end(), true);
  return found == matches.end() ? std::nullopt
                                : std::optional(static_cast<int>(found - matches.begin()));
}

Owned<xmlDoc> Parse(const std::string& text)
{
  Owned<xmlDoc> document(xmlReadMemory(text.data(), static_cast<int>(text.size()), "Xdmf.xmf",
    nullptr, XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_NONET));
  const auto* root = document ? xmlDocGetRootElement(document.get()) : nullptr;
  if (!root)
  {
    const auto* error = xmlGetLastError();
    std::string reason = error && error->message ? error->message : "unknown reason";
    reason.erase(reason.find_last_not_of(" \n") + 1);
    throw Error(Fault::Usage, "the XDMF description is no XML: {} (line {})", reason,
      error ? error->line : 0);
  }
  if (std::string(reinterpret_cast<const char*>(root->name)) != "Xdmf")
  {
    throw Error(Fault::Usage, "the XDMF description begins with <{}>, not with <Xdmf>",
      reinterpret_cast<const char*>(root->name));
  }
  // Before steps are removed, since others may include parts of them.
  xmlXIncludeProcessFlags(document.get(), XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
  return document;
}

std::vector<xmlNode*> Find(xmlDoc* document, xmlNode* below, const char* path)
{
  const Owned<xmlXPathContext> context(xmlXPathNewContext(document));
  context->node = below;
  const Owned<xmlXPathObject> found(
    xmlXPathEvalExpression(reinterpret_cast<const xmlChar*>(path), context.get()));
  std::vector<xmlNode*> nodes;
  for (int index = 0; found && found->nodesetval && index < found->nodesetval->nodeNr; ++index)
  {
    nodes.push_back(found->nodesetval->nodeTab[index]);
  }
  return nodes;
}

// All references to HDF5 files below a node. XDMF's keywords are not case-sensitive.
std::vector<Reference> References(xmlDoc* document, xmlNode* below, const std::string& folder)
{
  std::vector<Reference> found;
  for (xmlNode* item :
    Find(document, below, ".//DataItem[not(@Reference) and translate(@Format,'hdf','HDF')='HDF']"))
  {
    const Owned<xmlChar> content(xmlNodeGetContent(item));
    std::string text = reinterpret_cast<const char*>(content.get());
    text.erase(0, text.find_first_not_of(" \t\r\n"));
    text.erase(text.find_last_not_of(" \t\r\n") + 1);
    const auto colon = text.rfind(":/");
    if (colon != std::string::npos)
    {
      Reference reference{ item, text.substr(0, colon), {}, text.substr(colon + 1) };
      // A prefix that tells the reader how to open the file: SetReference sets our own.
      for (const std::string domain : { "SERIAL:", "FILE:" })
      {
        if (reference.File.rfind(domain, 0) == 0)
        {
          reference.File.erase(0, domain.size());
        }
      }
      reference.Name = AbsoluteName(
        reference.File.rfind('/', 0) == 0 ? reference.File : folder + "/" + reference.File);
      found.push_back(std::move(reference));
    }
  }
  return found;
}

void SetReference(const Reference& reference, const std::string& file)
{
  if (file.find(':') != std::string::npos)
  {
    throw Error(Fault::Unsupported,
      "{} cannot be named in an XDMF description, because of its ':': ParaView's reader takes what "
      "follows for a dataset",
      file);
  }
  // SERIAL: otherwise ParaView's reader opens the file by MPI-IO on several ranks, which bypasses
  // the default driver.
  const std::string text = "SERIAL:" + file + ":" + reference.Path;
  const Owned<xmlChar> escaped(
    xmlEncodeSpecialChars(reference.Item->doc, reinterpret_cast<const xmlChar*>(text.c_str())));
  xmlNodeSetContent(reference.Item, escaped.get());
}

// Whether a step with these references belongs to the target. It may also refer to an older file of
// the same stream, for the mesh.
template <typename Test>
bool BelongsTo(const Target& target, const std::vector<Reference>& references, Test isTarget)
{
  const Reference* newest = nullptr;
  for (const Reference& reference : references)
  {
    if (MatchLevel(reference, target) &&
      (!newest || StepFromName(newest->Name) < StepFromName(reference.Name)))
    {
      newest = &reference;
    }
  }
  return references.empty() || (newest && isTarget(*newest));
}

std::string AsText(xmlDoc* document)
{
  xmlChar* text = nullptr;
  int size = 0;
  xmlDocDumpMemory(document, &text, &size);
  const Owned<xmlChar> owned(text);
  return { reinterpret_cast<const char*>(text), static_cast<std::size_t>(size) };
}
}

bool Available()
{
  return true;
}

std::string Adapt(const std::string& text, const Target& target, const std::string& folder)
{
  const auto document = Parse(text);
  auto* root = xmlDocGetRootElement(document.get());

  const auto all = References(document.get(), root, folder);
  int best = MatchLevels;
  for (const Reference& reference : all)
  {
    best = std::min(best, MatchLevel(reference, target).value_or(MatchLevels));
  }
  if (best == MatchLevels)
  {
    throw Error(Fault::Usage,
      "the XDMF description does not refer to {}, nor to files whose names differ from it only in "
      "their numbers{}",
      target.Simulated, all.empty() ? "" : ": it names " + all.front().File);
  }
  const auto isTarget = [&](const Reference& reference)
  { return MatchLevel(reference, target).value_or(MatchLevels) <= best; };

  for (xmlNode* step : Find(document.get(), root,
         "//Grid[@CollectionType='Temporal' or @CollectionType='temporal']/Grid"))
  {
    if (!BelongsTo(target, References(document.get(), step, folder), isTarget))
    {
      xmlUnlinkNode(step);
      xmlFreeNode(step);
    }
  }
  for (const Reference& reference : References(document.get(), root, folder))
  {
    SetReference(reference, isTarget(reference) ? target.Opens : reference.Name);
  }
  return AsText(document.get());
}

}
