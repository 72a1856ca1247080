// SPDX-License-Identifier: BSD-3-Clause
// Stubs for the functions of libxml2 that XmlTree.cxx calls. The first call loads libxml2. Viewers
// may lack it or have another version, and show all other formats without it.
#include "Describe/XmlTree.h"

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <libxml/xpath.h>

#include <dlfcn.h>

#include <string>

namespace
{
struct LoadedLibrary
{
  void* Handle = dlopen(DSM_LIBXML2, RTLD_NOW | RTLD_LOCAL);
  std::string WhyNot = Handle ? "" : dlerror(); // dlerror says it once
};

void* Library()
{
  static const LoadedLibrary loaded;
  if (!loaded.Handle)
  {
    throw dsm::describe::NoXmlLibrary(
      dsm::Fault::Unsupported, "cannot read XDMF: {}", loaded.WhyNot);
  }
  return loaded.Handle;
}

template <typename Function>
Function Late(const char* name)
{
  return reinterpret_cast<Function>(dlsym(Library(), name));
}

void FreeLate(void* memory)
{
  (*Late<xmlFreeFunc*>("xmlFree"))(memory);
}
}

#define LATE(name) Late<decltype(&(name))>(#name)

xmlFreeFunc xmlFree = FreeLate;

xmlParserCtxt* xmlNewParserCtxt()
{
  return LATE(xmlNewParserCtxt)();
}

void xmlFreeParserCtxt(xmlParserCtxt* context)
{
  LATE(xmlFreeParserCtxt)(context);
}

xmlDoc* xmlCtxtReadMemory(xmlParserCtxt* context, const char* text, int size, const char* url,
  const char* encoding, int options)
{
  return LATE(xmlCtxtReadMemory)(context, text, size, url, encoding, options);
}

decltype(xmlCtxtGetLastError(nullptr)) xmlCtxtGetLastError(void* context)
{
  return LATE(xmlCtxtGetLastError)(context);
}

void xmlSAX2EntityDecl(void* context, const xmlChar* name, int type, const xmlChar* id,
  const xmlChar* system, xmlChar* content)
{
  LATE(xmlSAX2EntityDecl)(context, name, type, id, system, content);
}

void xmlFreeDoc(xmlDoc* document)
{
  LATE(xmlFreeDoc)(document);
}

xmlNode* xmlDocGetRootElement(const xmlDoc* document)
{
  return LATE(xmlDocGetRootElement)(document);
}

long xmlGetLineNo(const xmlNode* node)
{
  return LATE(xmlGetLineNo)(node);
}

xmlChar* xmlNodeListGetString(xmlDoc* document, const xmlNode* list, int inLine)
{
  return LATE(xmlNodeListGetString)(document, list, inLine);
}

xmlChar* xmlGetNoNsProp(const xmlNode* node, const xmlChar* name)
{
  return LATE(xmlGetNoNsProp)(node, name);
}

xmlXPathContext* xmlXPathNewContext(xmlDoc* document)
{
  return LATE(xmlXPathNewContext)(document);
}

void xmlXPathFreeContext(xmlXPathContext* context)
{
  LATE(xmlXPathFreeContext)(context);
}

xmlXPathObject* xmlXPathEvalExpression(const xmlChar* path, xmlXPathContext* context)
{
  return LATE(xmlXPathEvalExpression)(path, context);
}

void xmlXPathFreeObject(xmlXPathObject* found)
{
  LATE(xmlXPathFreeObject)(found);
}
