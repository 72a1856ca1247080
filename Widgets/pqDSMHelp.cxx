// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMHelp.h"

#include <pqApplicationCore.h>

#include <QFileInfo>

#include <dlfcn.h>

namespace
{
const char Here = 0;
}

pqDSMHelp::pqDSMHelp(QObject* parent)
  : Superclass(parent)
{
}

void pqDSMHelp::startup()
{
  Dl_info plugin{};
  if (!dladdr(&Here, &plugin) || !plugin.dli_fname)
  {
    return;
  }
  const QFileInfo binary(QString::fromLocal8Bit(plugin.dli_fname));
  const QString pages = binary.canonicalPath() + "/ParaViewDSM.qch";
  if (QFileInfo::exists(pages))
  {
    pqApplicationCore::instance()->registerDocumentation(pages);
  }
}
