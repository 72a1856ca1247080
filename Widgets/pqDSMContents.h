// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMContents_h
#define pqDSMContents_h

#include <QHash>
#include <QPointer>
#include <QSet>
#include <QStringList>
#include <QTimer>
#include <QWidget>

class pqPipelineSource;
class QLabel;
class QTreeWidget;
class QTreeWidgetItem;

/// The page "Contents": the groups and datasets of the file that a reader shows, with types and
/// shapes. A tick loads what the reader can load.
///
/// Everything comes from the reader's properties: FileContents says what is in the file,
/// PointArrayStatus and CellArrayStatus what is read of it. A dataset goes by the name of its
/// array: its path, or its last part (VTKHDF's /VTKHDF/PointData/u, or XDMF). Arrays that no
/// dataset goes by, since a description gave them names of its own, stand by themselves.
class pqDSMContents : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMContents(QWidget* parent);

  /// What the reader's properties say; cheap when they say what they said before. May be null.
  void show(pqPipelineSource* reader);

Q_SIGNALS:
  /// The reader is to load something else than before.
  void changed();

private:
  /// What a tick stands for: "P" or "C" and the array's name; empty for what cannot be loaded.
  using Key = QString;

  void fill();
  void addArrays(const QSet<Key>& found);
  QTreeWidgetItem* itemAt(const QString& path);
  void setKey(QTreeWidgetItem* item, const Key& key);
  Key keyOf(const QString& path) const;
  void mark();
  void ticked(QTreeWidgetItem* item);
  void load();

  QLabel* Note;
  QTreeWidget* Tree;
  QPointer<pqPipelineSource> Reader;
  quint64 Seen = 0;                       ///< when the properties shown were changed last
  QStringList Told;                       ///< FileContents as shown
  QStringList Arrays;                     ///< keys of all arrays, as shown
  QHash<Key, bool> Chosen;                ///< as the reader has it
  QHash<QString, QTreeWidgetItem*> Items; ///< by path
  QHash<Key, bool> Wanted;                ///< ticked or unticked since
  QTimer Soon;                            ///< many ticks, one update
  bool Filling = false;
};

#endif
