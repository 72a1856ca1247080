// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMOpenedContact.h"

#include "pqDSMServerProxy.h"
#include "pqDSMText.h"

#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqPipelineSource.h>
#include <pqUndoStack.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>

#include <QPointer>
#include <QTimer>

pqDSMOpenedContact::pqDSMOpenedContact(pqDSMServerProxy* server, QObject* parent)
  : Superclass(parent)
  , Server(server)
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
          this->watch(reader);
        }
      });
  }
}

void pqDSMOpenedContact::watch(pqPipelineSource* reader)
{
  const auto& status = this->Server->status();
  const QString contact =
    QString::fromUtf8(vtkSMPropertyHelper(reader->getProxy(), "ContactFile").GetAsString());
  if (status.running() && status.ContactPath != contact)
  {
    this->Server->setRefusal(
      tr("This window shows %1, and can watch no other server meanwhile. To watch %2, %3 first, or "
         "open it in another ParaView.")
        .arg(pqDSMText::breakable(status.ContactPath), pqDSMText::breakable(contact),
          status.Watched ? tr("stop watching") : tr("stop hosting")));
  }
  else if (!status.running() && this->Server->watchServer(contact))
  {
    SCOPED_UNDO_EXCLUDE();
    pqApplicationCore::instance()->getObjectBuilder()->destroy(reader);
  }
}
