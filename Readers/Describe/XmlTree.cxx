// SPDX-License-Identifier: BSD-3-Clause
#include "Describe/XmlTree.h"

#include "Base/Error.h"
#include "Describe/Text.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>

#include <algorithm>
#include <optional>
#include <set>

namespace dsm::describe
{

namespace
{
struct Free
{
  void operator()(xmlDoc* document) const { xmlFreeDoc(document); }
  void operator()(xmlParserCtxt* context) const { xmlFreeParserCtxt(context); }
  void operator()(xmlXPathContext* context) const { xmlXPathFreeContext(context); }
  void operator()(xmlXPathObject* found) const { xmlXPathFreeObject(found); }
  void operator()(xmlChar* text) const { xmlFree(text); }
};
template <typename Thing>
using Owned = std::unique_ptr<Thing, Free>;

using Element = std::shared_ptr<const XmlElement>;

// Longer ones serve nothing but to keep us busy.
constexpr std::size_t LongestPath = 1000;

std::string AsString(const xmlChar* text)
{
  return text ? reinterpret_cast<const char*>(text) : "";
}

const xmlChar* AsXml(const std::string& text)
{
  return reinterpret_cast<const xmlChar*>(text.c_str());
}

// Texts without the namespace's declaration have "xi:include" as a name.
std::string WithoutPrefix(const std::string& name)
{
  return name.substr(name.find(':') + 1);
}

// Entities that stand in the text itself are used by people, for names of files and sizes. Those
// from outside are as if they did not exist.
void DeclareEntity(void* context, const xmlChar* name, int type, const xmlChar* id,
  const xmlChar* system, xmlChar* content)
{
  if (type == XML_INTERNAL_GENERAL_ENTITY)
  {
    xmlSAX2EntityDecl(context, name, type, id, system, content);
  }
}

/// A text with all its nodes.
struct Document
{
  XmlSource Source;
  Owned<xmlDoc> Nodes;
  std::map<std::string, std::vector<xmlNode*>> Found; // by XPath: many elements include the same

  std::string At(const xmlNode* node) const;
};

std::string Document::At(const xmlNode* node) const
{
  return fmt::format("{}, line {}", this->Source.Name, xmlGetLineNo(node));
}

// The path in "xpointer(…)", "xpath1(…)" or "element(/1/2)", the first of a list; or of an id
// alone.
std::optional<std::string> PathOfPointer(const std::string& pointer)
{
  std::size_t at = 0;
  while (at < pointer.size())
  {
    const auto open = pointer.find('(', at);
    if (open == std::string::npos)
    {
      break;
    }
    const std::string scheme = Trimmed(pointer.substr(at, open - at));
    int depth = 0;
    std::size_t close = open;
    for (; close < pointer.size(); ++close)
    {
      depth += pointer[close] == '(' ? 1 : pointer[close] == ')' ? -1 : 0;
      if (depth == 0)
      {
        break;
      }
    }
    std::string inside = Trimmed(pointer.substr(open + 1, close - open - 1));
    if (scheme == "xpointer" || scheme == "xpath1")
    {
      return inside;
    }
    if (scheme == "element" && inside.rfind('/', 0) == 0)
    {
      std::string path;
      for (const std::string& number : Split(inside, "/"))
      {
        path += fmt::format("/*[{}]", number);
      }
      return path;
    }
    at = close + 1;
  }
  const bool id = !pointer.empty() && pointer.find_first_of("()'\"[]/ ") == std::string::npos;
  return id ? std::optional(fmt::format("//*[@id='{0}' or @ID='{0}' or @xml:id='{0}']", pointer))
            : std::nullopt;
}

/// Makes elements of nodes, each once.
class Builder
{
public:
  Builder(const XmlLoader& load, const XmlLimits& limits);
  Element Root(const XmlSource& source);

private:
  struct Made
  {
    Element Of;
    std::uint64_t Size = 1; // with all below it
  };

  Document& Read(const XmlSource& source);

  // The elements that an XPath names.
  const std::vector<xmlNode*>& Find(
    Document& document, const std::string& path, const xmlNode* from);
  Made Make(Document& document, xmlNode* node, int depth);
  Made MakeNew(Document& document, xmlNode* node, int depth);
  static void Add(const Made& child, XmlElement& parent, std::uint64_t& size);

  // What an element refers to, in its place.
  Made Refer(Document& document, xmlNode* node, int depth, const XmlElement& reference);
  void Include(
    Document& document, xmlNode* node, int depth, XmlElement& parent, std::uint64_t& size);

  const XmlLoader& Load;
  const XmlLimits& Limits;
  std::map<std::string, Document> Documents;
  std::map<const xmlNode*, Made> Elements;
  std::set<const xmlNode*> Open; // being made
  std::uint64_t Bytes = 0;
  std::uint64_t Steps = 0; // of XPath's evaluation, left
};

Builder::Builder(const XmlLoader& load, const XmlLimits& limits)
  : Load(load)
  , Limits(limits)
{
}

Element Builder::Root(const XmlSource& source)
{
  Document& document = this->Read(source);
  return this->Make(document, xmlDocGetRootElement(document.Nodes.get()), 1).Of;
}

Document& Builder::Read(const XmlSource& source)
{
  auto& kept = this->Documents[source.Name];
  if (kept.Nodes)
  {
    return kept;
  }
  this->Bytes += source.Text.size();
  if (this->Bytes > this->Limits.Bytes)
  {
    throw Error(Fault::Unsupported,
      "{} is too large: with what it includes it has more than {} MiB", source.Name,
      this->Limits.Bytes >> 20U);
  }
  // Enough for any description that somebody writes, and an end for those that are made to have
  // none.
  this->Steps =
    std::min<std::uint64_t>(this->Steps + 1'000'000 + 2000 * source.Text.size(), 200'000'000);
  const Owned<xmlParserCtxt> parser(xmlNewParserCtxt());
  if (!parser)
  {
    throw Error(Fault::System, "there is no memory to read {}", source.Name);
  }
  parser->sax->entityDecl = DeclareEntity;
  parser->sax->resolveEntity = nullptr;
  kept.Source = source;
  kept.Nodes.reset(xmlCtxtReadMemory(parser.get(), source.Text.data(),
    static_cast<int>(source.Text.size()), nullptr, nullptr,
    XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING |
      XML_PARSE_NOCDATA | XML_PARSE_COMPACT));
  if (!kept.Nodes || !xmlDocGetRootElement(kept.Nodes.get()))
  {
    const xmlError* error = xmlCtxtGetLastError(parser.get());
    throw Error(Fault::Usage, "{} is no XML: {} (line {})", source.Name,
      error && error->message ? Trimmed(error->message) : "it is empty", error ? error->line : 0);
  }
  return kept;
}

const std::vector<xmlNode*>& Builder::Find(
  Document& document, const std::string& path, const xmlNode* from)
{
  const auto known = document.Found.find(path);
  if (known != document.Found.end())
  {
    return known->second;
  }
  const Owned<xmlXPathContext> context(xmlXPathNewContext(document.Nodes.get()));
  if (!context || path.size() > LongestPath)
  {
    throw Error(Fault::Usage, "{}: an XPath there is too long", document.At(from));
  }
  context->error = [](void*, auto*) {}; // the error is constant from libxml2 2.12 on
  context->opLimit = this->Steps;
  const Owned<xmlXPathObject> found(xmlXPathEvalExpression(AsXml(path), context.get()));
  this->Steps -= std::min<std::uint64_t>(context->opCount, this->Steps - 1);
  if (!found)
  {
    throw Error(Fault::Usage, "{}: \"{}\" there is no XPath that can be followed{}",
      document.At(from), path, this->Steps <= 1 ? " in a sensible time" : "");
  }
  auto& nodes = document.Found[path];
  for (int i = 0; found->nodesetval && i < found->nodesetval->nodeNr; ++i)
  {
    xmlNode* node = found->nodesetval->nodeTab[i];
    if (node->type == XML_ELEMENT_NODE)
    {
      nodes.push_back(node);
    }
  }
  return nodes;
}

Builder::Made Builder::Make(Document& document, xmlNode* node, int depth)
{
  const auto known = this->Elements.find(node);
  if (known != this->Elements.end())
  {
    return known->second;
  }
  if (depth > this->Limits.Depth)
  {
    throw Error(Fault::Usage, "{}: elements are nested more than {} deep there", document.At(node),
      this->Limits.Depth);
  }
  if (!this->Open.insert(node).second)
  {
    throw Error(Fault::Usage, "{}: the element there contains itself, by inclusion or reference",
      document.At(node));
  }
  Made made = this->MakeNew(document, node, depth);
  this->Open.erase(node);
  if (made.Size > this->Limits.Elements)
  {
    throw Error(Fault::Unsupported, "{} is too large: it has more than {} elements",
      document.Source.Name, this->Limits.Elements);
  }
  this->Elements.emplace(node, made);
  return made;
}

Builder::Made Builder::MakeNew(Document& document, xmlNode* node, int depth)
{
  auto element = std::make_shared<XmlElement>();
  element->Name = WithoutPrefix(AsString(node->name));
  element->Where = document.At(node);
  for (const xmlAttr* one = node->properties; one; one = one->next)
  {
    const Owned<xmlChar> value(xmlNodeListGetString(document.Nodes.get(), one->children, 1));
    element->Attributes[LowerCase(WithoutPrefix(AsString(one->name)))] =
      Trimmed(AsString(value.get()));
  }
  Made made;
  for (xmlNode* child = node->children; child; child = child->next)
  {
    if (child->type == XML_TEXT_NODE || child->type == XML_CDATA_SECTION_NODE)
    {
      element->Text += AsString(child->content);
    }
    else if (child->type == XML_ELEMENT_NODE)
    {
      if (WithoutPrefix(AsString(child->name)) == "include")
      {
        this->Include(document, child, depth, *element, made.Size);
      }
      else
      {
        this->Add(this->Make(document, child, depth + 1), *element, made.Size);
      }
    }
  }
  element->Text = Trimmed(element->Text);
  if (!(*element)["reference"].empty())
  {
    return this->Refer(document, node, depth, *element);
  }
  made.Of = std::move(element);
  return made;
}

void Builder::Add(const Made& child, XmlElement& parent, std::uint64_t& size)
{
  parent.Children.push_back(child.Of);
  size += child.Size;
}

Builder::Made Builder::Refer(
  Document& document, xmlNode* node, int depth, const XmlElement& reference)
{
  const std::string& value = reference["reference"];
  const std::string& path = LowerCase(value) == "xml" ? reference.Text : value;
  const auto& found = this->Find(document, path, node);
  if (found.empty())
  {
    throw Error(Fault::Usage, "{}: refers to {}, which is not there", reference.Where, path);
  }
  Made made = this->Make(document, found.front(), depth + 1);
  if (!reference["name"].empty() && reference["name"] != (*made.Of)["name"])
  {
    auto named = std::make_shared<XmlElement>(*made.Of);
    named->Attributes["name"] = reference["name"];
    made.Of = std::move(named);
  }
  return made;
}

void Builder::Include(
  Document& document, xmlNode* node, int depth, XmlElement& parent, std::uint64_t& size)
{
  const auto attribute = [&](const char* name)
  {
    const Owned<xmlChar> value(xmlGetNoNsProp(node, AsXml(name)));
    return Trimmed(AsString(value.get()));
  };
  std::string file = attribute("href"), pointer = attribute("xpointer");
  if (const auto hash = file.find('#'); hash != std::string::npos)
  {
    pointer = pointer.empty() ? file.substr(hash + 1) : pointer;
    file.erase(hash);
  }
  try
  {
    if (!file.empty() && attribute("parse") == "text")
    {
      const XmlSource text = this->Load(file, document.Source.Name);
      this->Bytes += text.Text.size();
      parent.Text += text.Text;
      return;
    }
    Document& from = file.empty() ? document : this->Read(this->Load(file, document.Source.Name));
    if (pointer.empty() && !file.empty())
    {
      this->Add(this->Make(from, xmlDocGetRootElement(from.Nodes.get()), depth + 1), parent, size);
      return;
    }
    const auto path = PathOfPointer(pointer);
    if (!path)
    {
      throw Error(Fault::Usage, "{}: \"{}\" there is no pointer that is known: xpointer(XPath) is",
        document.At(node), pointer);
    }
    const auto found = this->Find(from, *path, node);
    if (found.empty())
    {
      throw Error(Fault::Usage, "{}: includes {}, which is not there", document.At(node), *path);
    }
    for (xmlNode* one : found)
    {
      this->Add(this->Make(from, one, depth + 1), parent, size);
    }
  }
  catch (const Error&)
  {
    xmlNode* child = node->children;
    while (child && WithoutPrefix(AsString(child->name)) != "fallback")
    {
      child = child->next;
    }
    if (!child || child->type != XML_ELEMENT_NODE)
    {
      throw;
    }
    for (const Element& one : this->Make(document, child, depth + 1).Of->Children)
    {
      parent.Children.push_back(one);
      ++size;
    }
  }
}
}

const std::string& XmlElement::operator[](const std::string& attribute) const
{
  static const std::string none;
  const auto found = this->Attributes.find(attribute);
  return found == this->Attributes.end() ? none : found->second;
}

std::string XmlElement::Told() const
{
  const std::string& name = (*this)["name"];
  return name.empty() ? fmt::format("the {} ({})", this->Name, this->Where)
                      : fmt::format("the {} \"{}\" ({})", this->Name, name, this->Where);
}

Element ParseXml(const XmlSource& source, const XmlLoader& load, const XmlLimits& limits)
{
  return Builder(load, limits).Root(source);
}

}
