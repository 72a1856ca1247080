// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMOpenedContact.h"

#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqPipelineSource.h>
#include <pqUndoStack.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

#include <QPointer>
#include <QTimer>

#include <utility>

pqDSMOpenedContact::pqDSMOpenedContact(std::function<bool(const QString&)> watch, QObject* parent)
  : Superclass(parent)
  , Watch(std::move(watch))
{
  QObject::connect(pqApplicationCore::instance()->getObjectBuilder(),
    qOverload<pqPipelineSource*, const QStringList&>(&pqObjectBuilder::readerCreated), this,
    &pqDSMOpenedContact::take);
}

void pqDSMOpenedContact::take(pqPipelineSource* reader)
{
  if (QString(reader->getProxy()->GetXMLName()) == "DSMReader")
  {
    // ParaView still uses the reader when it emits this signal.
    QTimer::singleShot(0, this,
      [this, reader = QPointer<pqPipelineSource>(reader)]
      {
        if (reader)
        {
          this->replace(reader);
        }
      });
  }
}

void pqDSMOpenedContact::replace(pqPipelineSource* reader)
{
  const vtkSMPropertyHelper contact(reader->getProxy(), "ContactFile");
  if (this->Watch(QString::fromUtf8(contact.GetAsString())))
  {
    SCOPED_UNDO_EXCLUDE();
    pqApplicationCore::instance()->getObjectBuilder()->destroy(reader);
  }
}
