// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotMenu.h"

#include "pqDSMCompareMenu.h"
#include "pqDSMComparison.h"
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
#include <vtkSMSourceProxy.h>
#include <vtkSMTimeKeeperProxy.h>
#include <vtkSMTrace.h>

#include <QApplication>
#include <QClipboard>
#include <QFileInfo>

#include <algorithm>

pqDSMSnapshotMenu::pqDSMSnapshotMenu(const pqDSMStatus::Snapshot& snapshot,
  const QVector<pqDSMStreams::Group>& groups, pqDSMServerProxy* server, QWidget* parent)
  : Superclass(parent)
  , Snapshot(snapshot)
  , Pattern(patternOf(snapshot, groups))
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

// Leaves out the number of the last run: after a state was loaded, another one is the last.
QString pqDSMSnapshotMenu::patternOf(
  const pqDSMStatus::Snapshot& snapshot, const QVector<pqDSMStreams::Group>& groups)
{
  const auto isOf = [&](const auto& each) { return each.Stream == snapshot.Stream; };
  const auto own = std::find_if(groups.begin(), groups.end(),
    [&](const auto& each) { return isOf(each) && each.Run == snapshot.Run; });
  const bool isEarlier = std::any_of(groups.begin(), groups.end(),
    [&](const auto& each) { return isOf(each) && each.Run > snapshot.Run; });
  return isEarlier && own != groups.end() ? pqDSMComparison::pattern(*own) : snapshot.Stream;
}

// Makes a reader of this snapshot. Its time, which the reader finds out, goes into states: another
// server gives the snapshot another number.
pqPipelineSource* pqDSMSnapshotMenu::makeReader() const
{
  auto* reader = pqApplicationCore::instance()->getObjectBuilder()->createSource(
    "sources", "DSMReader", this->Server->server());
  if (!reader)
  {
    return nullptr;
  }
  auto* proxy = reader->getSourceProxy();
  SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
  const auto number = static_cast<vtkIdType>(this->Snapshot.Number);
  vtkSMPropertyHelper(proxy, "Snapshot").Set(number);
  vtkSMPropertyHelper(proxy, "FilePattern").Set(this->Pattern.toUtf8().constData());
  vtkSMPropertyHelper(proxy, "ContactFile")
    .Set(this->Server->status().ContactPath.toUtf8().constData());
  proxy->UpdateVTKObjects();
  proxy->UpdatePipelineInformation();
  proxy->UpdatePropertyInformation();
  if (vtkSMPropertyHelper(proxy, "ShownSnapshot").GetAsIdType() == number)
  {
    const double time = vtkSMPropertyHelper(proxy, "ShownTime").GetAsDouble();
    vtkSMPropertyHelper(proxy, "FixedTime").Set(QByteArray::number(time, 'g', 17).constData());
    proxy->UpdateVTKObjects();
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
  // The name leaves out the number, which is another one after a state was loaded.
  reader->rename(QFileInfo(this->Snapshot.File).fileName());
  reader->setModifiedState(pqProxy::UNMODIFIED);
  pqDSMRepresentation::showBeside(reader);
}
