// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFileChoice.h"

void pqDSMFileChoice::open(pqServer* server, QWidget* parent, const Request& request,
  QObject* receiver, const std::function<void(const QString&)>& chosen)
{
  auto* dialog =
    new pqFileDialog(server, parent, request.Title, request.Folder, request.Filter, false);
  dialog->setObjectName(request.Name);
  dialog->setFileMode(request.Mode);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(dialog, &QDialog::accepted, receiver,
    [dialog, chosen] { chosen(dialog->getSelectedFiles().value(0)); });
  dialog->open();
}
