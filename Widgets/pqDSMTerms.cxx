// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMTerms.h"

#include <vtkPVXMLElement.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyIterator.h>
#include <vtkSMProxy.h>
#include <vtkSMSessionProxyManager.h>
#include <vtkSmartPointer.h>

#include <QCoreApplication>

#include <cstring>

namespace
{
constexpr const char* OurProxies[][2] = { { "misc", "DSMServer" }, { "sources", "DSMReader" },
  { "sources", "DSMFileReader" } };

// ParaView's context for texts of the XML.
constexpr const char* Context = "ServerManagerXML";

QHash<QString, QString> WordsOf(vtkSMProperty* property)
{
  QHash<QString, QString> words;
  auto* hints = property->GetHints();
  for (unsigned int index = 0; hints && index < hints->GetNumberOfNestedElements(); ++index)
  {
    auto* hint = hints->GetNestedElement(index);
    if (std::strcmp(hint->GetName(), "Display") == 0)
    {
      words[hint->GetAttributeOrEmpty("source")] = hint->GetAttributeOrEmpty("text");
    }
  }
  return words;
}
}

pqDSMTerms::pqDSMTerms(QObject* parent)
  : Superclass(parent)
{
}

void pqDSMTerms::install(vtkSMSessionProxyManager* manager)
{
  if (!this->Words.empty())
  {
    return;
  }
  for (const auto& [group, name] : OurProxies)
  {
    auto* proxy = manager->GetPrototypeProxy(group, name);
    if (!proxy)
    {
      continue;
    }
    const auto each = vtk::TakeSmartPointer(proxy->NewPropertyIterator());
    for (each->Begin(); !each->IsAtEnd(); each->Next())
    {
      // Other words are those of our own widgets, and may be usual ones.
      auto* property = each->GetProperty();
      auto words = WordsOf(property);
      words.removeIf(
        [property](const auto& word) { return word.key() != property->GetXMLLabel(); });
      this->Words.insert(words);
    }
  }
  if (!this->Words.empty())
  {
    QCoreApplication::installTranslator(this);
  }
}

QString pqDSMTerms::shown(const QString& source, vtkSMProperty* property)
{
  return WordsOf(property).value(source, source);
}

QString pqDSMTerms::translate(const char* context, const char* source, const char*, int) const
{
  return std::strcmp(context, Context) == 0 ? this->Words.value(QString::fromUtf8(source))
                                            : QString();
}
