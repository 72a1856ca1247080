// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMContentsPage_h
#define pqDSMContentsPage_h

#include <QHash>
#include <QPointer>
#include <QSet>
#include <QStringList>
#include <QTimer>
#include <QWidget>

class pqPipelineSource;
class pqDSMMessageLabel;
class pqDSMReadAsWidget;
class pqDSMRemarks;
class QTreeWidget;
class QTreeWidgetItem;

/// The page "Contents": the groups and datasets of the file that a reader shows, with types and
/// shapes. A check box decides whether the reader loads an array. Above them stands what was
/// guessed of the file, below them what is left out.
///
/// Everything comes from the reader's properties: FileContents lists what is in the file,
/// PointArrayStatus and CellArrayStatus what is loaded of it. An array has the name of its dataset:
/// the path, or the last part of it (as VTKHDF's /VTKHDF/PointData/u, or in XDMF). Arrays with
/// other names, from an XDMF description, are listed in a group of their own.
class pqDSMContentsPage : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMContentsPage(QWidget* parent);

  /// Shows the reader's properties; cheap if they have not changed. The reader may be null. Its
  /// error, if it has one, may be shown elsewhere.
  void show(pqPipelineSource* reader, bool withError);

Q_SIGNALS:
  /// The reader was told to load other arrays, or to read files in another way.
  void changed();
  /// The reader was updated after the user had set how it reads files.
  void readAnew();

private:
  /// An array: "P" (points) or "C" (cells) and its name; empty for what cannot be loaded.
  using Key = QString;

  void showReader();
  void showLeftOut(const QStringList& left);
  void fitLeftOut();
  void resizeEvent(QResizeEvent* event) override;
  void setProperty(const QString& name, const QString& value);
  void goToProperty(const QString& name);
  void dataUpdated();
  void fill();
  void addOtherArrays(const QSet<Key>& found);
  QTreeWidgetItem* itemAt(const QString& path);
  void setKey(QTreeWidgetItem* item, const Key& key);
  Key keyOf(const QString& path) const;
  void showMemory(const QStringList& notes);
  void showCheckStates();
  void checkStateChanged(QTreeWidgetItem* item);
  void applyChoices();

  pqDSMReadAsWidget* ReadAs;
  pqDSMMessageLabel* Note;
  pqDSMRemarks* Remarks;
  QTreeWidget* Tree;
  QTreeWidget* LeftOut;
  QPointer<pqPipelineSource> Reader;
  quint64 SetTime = 0;                    ///< modification time of the settings that were read by
  quint64 ShownTime = 0;                  ///< modification time of the properties that are shown
  QStringList Contents;                   ///< FileContents as shown
  QStringList Arrays;                     ///< keys of all arrays, as shown
  QHash<Key, bool> Loaded;                ///< whether the reader loads an array
  QHash<QString, QTreeWidgetItem*> Items; ///< by path
  QHash<Key, bool> Choices;               ///< that were not applied yet
  QTimer ApplyTimer;                      ///< several choices make one update
  QTimer ReadTimer;                       ///< after an update
  bool WithError = false;
  bool Filling = false;
};

#endif
