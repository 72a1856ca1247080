// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotMenu.h"

#include "pqDSMCompareMenu.h"
#include "pqDSMDropQuestion.h"
#include "pqDSMFileChoice.h"
#include "pqDSMIcons.h"
#include "pqDSMRepresentation.h"
#include "pqDSMServerProxy.h"

#include <pqApplicationCore.h>
#include <pqObjectBuilder.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqTimeKeeper.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMProxy.h>
#include <vtkSMTimeKeeperProxy.h>

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>

pqDSMSnapshotMenu::pqDSMSnapshotMenu(const pqDSMStatus::Snapshot& snapshot,
  const QVector<pqDSMStreams::Group>& groups, pqDSMServerProxy* server, QWidget* parent)
  : Superclass(parent)
  , Snapshot(snapshot)
  , Server(server)
{
  this->setObjectName("snapshotMenu");
  this->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(
    this->addAction(tr("Show")), &QAction::triggered, this, &pqDSMSnapshotMenu::showRequested);
  QObject::connect(this->addAction(tr("Open in a Second View")), &QAction::triggered, this,
    &pqDSMSnapshotMenu::openBeside);
  this->addMenu(new pqDSMCompareMenu(groups, snapshot.Stream, snapshot.Run, server, this));
  auto* keep = this->addAction(tr("Pin"));
  keep->setToolTip(tr("Keep this snapshot in memory until unpinned."));
  keep->setCheckable(true);
  keep->setChecked(snapshot.Pinned);
  QObject::connect(keep, &QAction::triggered, this,
    [this](bool on) { this->Server->pin(this->Snapshot.Number, on); });
  this->addSeparator();
  QObject::connect(this->addAction(pqDSMIcons::disk(), tr("Save As…")), &QAction::triggered, this,
    &pqDSMSnapshotMenu::saveAs);
  QObject::connect(this->addAction(tr("Drop…")), &QAction::triggered, server,
    [snapshot, server, parent] { (new pqDSMDropQuestion({ snapshot }, server, parent))->open(); });
  QObject::connect(this->addAction(tr("Copy Name")), &QAction::triggered, this,
    [this] { QApplication::clipboard()->setText(this->Snapshot.File); });
}

void pqDSMSnapshotMenu::saveAs()
{
  const bool isFolder = this->Snapshot.Files > 1;
  const QFileInfo file(this->Snapshot.File);
  // The menu will be gone.
  auto* server = this->Server;
  const qint64 number = this->Snapshot.Number;
  const QString title = isFolder
    ? tr("Choose a folder for the %1 files of the snapshot").arg(this->Snapshot.Files)
    : tr("Save Snapshot As");
  pqDSMFileChoice::open(server->server(), this->parentWidget(),
    { "saveAs", title, file.path(), isFolder ? pqFileDialog::Directory : pqFileDialog::AnyFile,
      tr("HDF5 files (*.%1)").arg(file.suffix()) },
    server, [server, number](const QString& path) { server->save(number, path); });
}

// A name is that of one file; those of several files are found by their number.
pqPipelineSource* pqDSMSnapshotMenu::makeReader() const
{
  auto* builder = pqApplicationCore::instance()->getObjectBuilder();
  const QFileInfo contact(this->Server->status().ContactPath);
  const auto number = this->Snapshot.Number;
  if (this->Snapshot.Files == 1)
  {
    return builder->createReader("sources", "DSMFileReader",
      { QString("%1#%2").arg(contact.filePath()).arg(number) }, this->Server->server());
  }
  // By another spelling of the same path: it is not to be taken for the reader that follows the
  // simulation, which is known by its contact file.
  auto* reader = builder->createReader("sources", "DSMReader",
    { contact.path() + "/./" + contact.fileName() }, this->Server->server());
  if (reader)
  {
    vtkSMPropertyHelper(reader->getProxy(), "Snapshot").Set(static_cast<vtkIdType>(number));
    reader->getProxy()->UpdateVTKObjects();
  }
  return reader;
}

// Beside what follows the simulation, and kept in memory as long as the user wants.
void pqDSMSnapshotMenu::openBeside()
{
  if (!this->Snapshot.Pinned)
  {
    this->Server->pin(this->Snapshot.Number, true);
  }
  auto* reader = this->makeReader();
  if (!reader)
  {
    return;
  }
  // It is of one time, which is not to become one more step of ParaView's time controls.
  vtkSMTimeKeeperProxy::SetSuppressTimeSource(
    this->Server->server()->getTimeKeeper()->getProxy(), reader->getProxy(), true);
  reader->rename(
    tr("No. %1, %2").arg(this->Snapshot.Number).arg(QFileInfo(this->Snapshot.File).fileName()));
  reader->setModifiedState(pqProxy::UNMODIFIED);
  pqDSMRepresentation::showBeside(reader);
}
