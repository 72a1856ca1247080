// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMLaunchLine_h
#define pqDSMLaunchLine_h

#include <QFrame>
#include <QString>

class pqDSMReservedLabel;
class QToolButton;

/// The command line that runs a simulation, to be copied: as it is, or as a job script. While a
/// simulation is there, only the button is shown. Before Start, the folder that the contact file
/// will be in.
class pqDSMLaunchLine : public QFrame
{
  Q_OBJECT
  using Superclass = QFrame;
  /// For tests.
  Q_PROPERTY(QString command READ command)

public:
  /// Shows `caption` above the command, and owns it.
  pqDSMLaunchLine(QWidget* caption, QWidget* parent);

  /// `command` is empty until the server listens; `place` is where the contact file will be then.
  void show(const QString& command, bool connected, const QString& place);

  const QString& command() const { return this->Command; }

  /// The same for Slurm's sbatch, which starts the processes by srun.
  static QString slurmScript(const QString& command);

Q_SIGNALS:
  void folderRequested();

private:
  void copy(const QString& text);

  pqDSMReservedLabel* Line;
  QToolButton* Copy;
  QToolButton* Folder;
  QString Command;
};

#endif
