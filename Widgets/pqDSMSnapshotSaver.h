// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotSaver_h
#define pqDSMSnapshotSaver_h

#include "pqDSMStatus.h"

#include <QObject>
#include <QPointer>
#include <QSet>
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

  void save(const QVector<pqDSMStatus::Snapshot>& snapshots, const QString& folder);

Q_SIGNALS:
  /// Whether all were saved: not if the user has cancelled it, or one could not be written. The
  /// reason is the server's CommandError.
  void ended(bool all);

private:
  void saveNext();
  void end(bool all);
  QString placeOf(const QString& file, qint64 number);

  pqDSMServerProxy* Server;
  QPointer<QMessageBox> Progress;
  QString Folder;
  QSet<QString> Taken;                 ///< names in the folder
  QVector<pqDSMStatus::Snapshot> Left; ///< to be saved
  qsizetype Saved = 0;
};

#endif
