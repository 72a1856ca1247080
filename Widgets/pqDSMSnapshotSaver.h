// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotSaver_h
#define pqDSMSnapshotSaver_h

#include "pqDSMStatus.h"

#include <QObject>
#include <QPointer>
#include <QString>
#include <QVector>

class pqDSMServerProxy;
class QMessageBox;
class QWidget;

/// Saves snapshots into one folder on the server's machine. One snapshot is saved per turn of the
/// event loop, and a message with a Cancel says how far it is.
///
/// Deletes itself when it has ended.
class pqDSMSnapshotSaver : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  pqDSMSnapshotSaver(pqDSMServerProxy* server, QWidget* parent);

  /// Replaces files of the same names.
  void save(const QVector<pqDSMStatus::Snapshot>& snapshots, const QString& folder);

  /// Asks first if files of the same names are there: they are replaced, or their snapshots are not
  /// saved.
  void askAndSave(const QVector<pqDSMStatus::Snapshot>& snapshots, const QString& folder);

Q_SIGNALS:
  /// Whether all were saved: not if the user has cancelled it, or one could not be written. The
  /// reason is the server's CommandError.
  void ended(bool all);

private:
  struct Item
  {
    pqDSMStatus::Snapshot Snapshot;
    QString Name; ///< in the folder; with '*' if it has several files
  };

  static QVector<Item> named(const QVector<pqDSMStatus::Snapshot>& snapshots);
  void ask(const QVector<Item>& items, const QVector<Item>& existing);
  void begin(const QVector<Item>& items);
  QVector<Item> existing(const QVector<Item>& items) const;
  void saveNext();
  void end(bool all);

  pqDSMServerProxy* Server;
  QPointer<QMessageBox> Progress;
  QString Folder;
  QVector<Item> Left; ///< to be saved
  qsizetype Saved = 0;
};

#endif
