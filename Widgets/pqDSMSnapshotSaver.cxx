// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotSaver.h"

#include "pqDSMServerProxy.h"

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QTimer>

pqDSMSnapshotSaver::pqDSMSnapshotSaver(pqDSMServerProxy* server, QWidget* parent)
  : Superclass(parent)
  , Server(server)
  , Progress(new QMessageBox(
      QMessageBox::Information, tr("Save Snapshots"), QString(), QMessageBox::Cancel, parent))
{
  this->Progress->setObjectName("saveProgress");
  QObject::connect(this->Progress, &QMessageBox::rejected, this, [this] { this->end(false); });
}

void pqDSMSnapshotSaver::save(
  const QVector<pqDSMStatus::Snapshot>& snapshots, const QString& folder)
{
  this->Folder = folder;
  this->Left = snapshots;
  this->Progress->open();
  this->saveNext();
}

void pqDSMSnapshotSaver::saveNext()
{
  // Somebody else has saved them, or, from hosts of their own, they have left the memory meanwhile.
  this->Left.removeIf(
    [this](const auto& snapshot)
    {
      const auto* found = this->Server->status().find(snapshot.Number);
      return !found || (found->Saved && !snapshot.Saved);
    });
  if (this->Left.empty())
  {
    this->end(true);
    return;
  }
  const auto snapshot = this->Left.takeFirst();
  this->Progress->setText(tr("Saving %1 of %2 snapshots: %3")
      .arg(this->Saved + 1)
      .arg(this->Saved + 1 + this->Left.size())
      .arg(QFileInfo(snapshot.File).fileName()));
  // Of several files each keeps its own name.
  const QString place =
    snapshot.Files > 1 ? this->Folder : this->placeOf(snapshot.File, snapshot.Number);
  // One that has left the memory meanwhile is not an error: there was no room to keep it.
  if (!this->Server->save(snapshot.Number, place) && this->Server->status().find(snapshot.Number))
  {
    this->end(false);
    return;
  }
  ++this->Saved;
  QTimer::singleShot(0, this, &pqDSMSnapshotSaver::saveNext);
}

// A simulation may write the same name again and again, and two of them the same names.
QString pqDSMSnapshotSaver::placeOf(const QString& file, qint64 number)
{
  const QFileInfo info(file);
  QString name = info.fileName();
  if (this->Taken.contains(name))
  {
    name = QString("%1.no%2").arg(info.completeBaseName()).arg(number) +
      (info.suffix().isEmpty() ? QString() : "." + info.suffix());
  }
  this->Taken.insert(name);
  return QDir(this->Folder).filePath(name);
}

void pqDSMSnapshotSaver::end(bool all)
{
  if (this->Progress)
  {
    this->Progress->disconnect(this);
    this->Progress->deleteLater();
    this->Progress = nullptr;
    Q_EMIT this->ended(all);
    this->deleteLater();
  }
}
