// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotSaver.h"

#include "pqDSMQuestion.h"
#include "pqDSMServerProxy.h"

#include <pqFileDialogModel.h>

#include <QDir>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSet>
#include <QTimer>

#include <algorithm>
#include <iterator>

namespace
{
// The question lists at most so many names.
constexpr qsizetype MostNames = 5;

// Returns the names of the files in a folder on the server's machine.
QStringList NamesIn(const QString& folder, pqServer* server)
{
  pqFileDialogModel model(server);
  model.setGroupFiles(false);
  model.setCurrentPath(folder);
  QStringList names;
  for (int row = 0; row < model.rowCount(QModelIndex()); ++row)
  {
    names << model.data(model.index(row, 0, QModelIndex()), Qt::DisplayRole).toString();
  }
  return names;
}
}

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
  this->begin(named(snapshots));
}

void pqDSMSnapshotSaver::askAndSave(
  const QVector<pqDSMStatus::Snapshot>& snapshots, const QString& folder)
{
  this->Folder = folder;
  const auto items = named(snapshots);
  const auto found = this->existing(items);
  found.empty() ? this->begin(items) : this->ask(items, found);
}

void pqDSMSnapshotSaver::ask(const QVector<Item>& items, const QVector<Item>& existing)
{
  QStringList names;
  QVector<Item> others = items;
  for (const auto& item : existing)
  {
    names << item.Name;
    others.removeIf([&](const Item& each) { return each.Snapshot.Number == item.Snapshot.Number; });
  }
  if (names.size() > MostNames)
  {
    names = names.first(MostNames) << tr("…");
  }
  auto* question = new pqDSMQuestion("replaceQuestion", tr("Save Snapshots"),
    tr("Replace files of %1 of %2 snapshots?").arg(existing.size()).arg(items.size()),
    tr("Save nothing."), this->Progress->parentWidget());
  question->setInformativeText(
    tr("These files are already in the folder: %1").arg(names.join(", ")));
  QObject::connect(question, &QDialog::rejected, this, [this] { this->end(false); });
  const auto add = [&](const pqDSMQuestion::Answer& answer, const QVector<Item>& chosen)
  {
    QObject::connect(question->addAnswer(answer), &QPushButton::clicked, this,
      [this, chosen] { this->begin(chosen); });
  };
  if (!others.empty())
  {
    add({ "saveOthers",
          others.size() == 1 ? tr("Save the Other") : tr("Save the Other %1").arg(others.size()),
          tr("Save the snapshots whose files are not there yet."), QMessageBox::AcceptRole },
      others);
  }
  add({ "replace", tr("Replace"), tr("Save all, and replace the files that are there."),
        QMessageBox::DestructiveRole },
    items);
  question->open();
}

void pqDSMSnapshotSaver::begin(const QVector<Item>& items)
{
  this->Left = items;
  this->Progress->open();
  this->saveNext();
}

// Returns those for which files are there that are not the snapshots' own: under the simulation's
// name there is a placeholder, or an older state of the file.
QVector<pqDSMSnapshotSaver::Item> pqDSMSnapshotSaver::existing(const QVector<Item>& items) const
{
  const QStringList names = NamesIn(this->Folder, this->Server->server());
  const QSet<QString> set(names.begin(), names.end());
  QVector<Item> found;
  std::copy_if(items.begin(), items.end(), std::back_inserter(found),
    [&](const Item& item)
    {
      const bool isThere = item.Snapshot.Files == 1
        ? set.contains(item.Name)
        : std::any_of(names.begin(), names.end(),
            [&](const QString& name) { return QDir::match(item.Name, name); });
      return isThere && QDir(this->Folder).filePath(item.Name) != item.Snapshot.File;
    });
  return found;
}

void pqDSMSnapshotSaver::saveNext()
{
  // Somebody else has saved them, or, from hosts of their own, they have left the memory meanwhile.
  this->Left.removeIf(
    [this](const Item& item)
    {
      const auto* found = this->Server->status().find(item.Snapshot.Number);
      return !found || (found->Saved && !item.Snapshot.Saved);
    });
  if (this->Left.empty())
  {
    this->end(true);
    return;
  }
  const auto [snapshot, name] = this->Left.takeFirst();
  this->Progress->setText(tr("Saving %1 of %2 snapshots: %3")
      .arg(this->Saved + 1)
      .arg(this->Saved + 1 + this->Left.size())
      .arg(QFileInfo(snapshot.File).fileName()));
  // Of several files each keeps its own name.
  const QString place = snapshot.Files > 1 ? this->Folder : QDir(this->Folder).filePath(name);
  // One that has left the memory meanwhile is not an error: there was no room to keep it.
  if (!this->Server->save(snapshot.Number, place) && this->Server->status().find(snapshot.Number))
  {
    this->Server->setRefusal(tr("Saved %1 of %2 snapshots to %3. %4")
        .arg(this->Saved)
        .arg(this->Saved + 1 + this->Left.size())
        .arg(this->Folder, this->Server->status().CommandError));
    this->end(false);
    return;
  }
  ++this->Saved;
  QTimer::singleShot(0, this, &pqDSMSnapshotSaver::saveNext);
}

// A simulation may write the same name again and again, and two of them the same names.
QVector<pqDSMSnapshotSaver::Item> pqDSMSnapshotSaver::named(
  const QVector<pqDSMStatus::Snapshot>& snapshots)
{
  QVector<Item> items;
  QSet<QString> taken;
  for (const auto& snapshot : snapshots)
  {
    const QFileInfo info(snapshot.File);
    QString name = info.fileName();
    if (snapshot.Files == 1 && taken.contains(name))
    {
      name = QString("%1.no%2").arg(info.completeBaseName()).arg(snapshot.Number) +
        (info.suffix().isEmpty() ? QString() : "." + info.suffix());
    }
    taken.insert(name);
    items.append({ snapshot, name });
  }
  return items;
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
