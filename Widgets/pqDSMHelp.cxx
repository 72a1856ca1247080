// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMHelp.h"

#include <pqApplicationCore.h>

#include <QFileInfo>
#include <QHelpEngine>

#include <dlfcn.h>

namespace
{
const char InThisPlugin = 0;

// The namespace that Plugin/Help/make_help.py gives the pages.
const char* const Namespace = "paraview-dsm";
}

pqDSMHelp::pqDSMHelp(QObject* parent)
  : Superclass(parent)
{
}

void pqDSMHelp::startup()
{
  Dl_info plugin{};
  if (!dladdr(&InThisPlugin, &plugin) || !plugin.dli_fname)
  {
    return;
  }
  const QFileInfo binary(QString::fromLocal8Bit(plugin.dli_fname));
  const QString pages = binary.canonicalPath() + "/ParaViewDSM.qch";
  if (!QFileInfo::exists(pages))
  {
    return;
  }
  auto* core = pqApplicationCore::instance();
  core->registerDocumentation(pages);
#if QT_VERSION >= QT_VERSION_CHECK(6, 0, 0)
  // With Qt 6 a help collection is read-only unless it is opened otherwise, and ParaView 5.13 does
  // not open it otherwise. So its help engine gets another collection, with the same pages and
  // ours.
  auto* help = core->helpEngine();
  const auto known = help->registeredDocumentations();
  if (known.contains(Namespace) || !this->Folder.isValid())
  {
    return;
  }
  QStringList files(pages);
  for (const auto& each : known)
  {
    files.prepend(help->documentationFileName(each));
  }
  help->setReadOnly(false);
  help->setCollectionFile(this->Folder.filePath("pages.qhc"));
  help->setupData();
  for (const auto& file : files)
  {
    if (!help->registerDocumentation(file))
    {
      qWarning("DSM: %s cannot be added to ParaView's help: %s", qPrintable(file),
        qPrintable(help->error()));
    }
  }
#endif
}
