// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSnapshotTable_h
#define pqDSMSnapshotTable_h

#include <QTimer>
#include <QTreeView>

/// The view of the list of snapshots, with the keys by which a user works on it: the arrows go to
/// another row, Space pins, Delete drops.
class pqDSMSnapshotTable : public QTreeView
{
  Q_OBJECT
  using Superclass = QTreeView;

public:
  explicit pqDSMSnapshotTable(QWidget* parent);

Q_SIGNALS:
  /// The user went to a row alone, with the mouse or a key.
  void wentTo(const QModelIndex& index);
  void pinPressed();
  void dropPressed();

protected:
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

private:
  bool isAlone(const QModelIndex& index) const;

  QTimer Arrival; ///< runs while keys go on to other rows
};

#endif
