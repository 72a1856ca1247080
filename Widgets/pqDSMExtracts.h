// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMExtracts_h
#define pqDSMExtracts_h

#include <QObject>
#include <QString>
#include <QVector>

#include <vtkSMExtractsController.h> // For vtkSmartPointer to one
#include <vtkSmartPointer.h>         // For vtkSmartPointer

class pqServer;

/// Runs ParaView's extractors for each snapshot that is shown, while it has a folder. To ParaView a
/// snapshot is a time step, counted from 0: an extractor with the frequency 10 runs for every tenth
/// snapshot, and its files have that number.
class pqDSMExtracts : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  explicit pqDSMExtracts(QObject* parent);
  ~pqDSMExtracts() override;

  /// Sets the folder, on the server's machine, and counts from 0 again. Extractors do not run while
  /// it is empty.
  void setFolder(const QString& folder);
  const QString& folder() const { return this->Folder; }

  /// Takes what is shown now: the numbers of the snapshots of all streams, and ParaView's time.
  void take(pqServer* server, const QVector<qint64>& shown, double time);

private:
  QString Folder;
  QVector<qint64> Shown;
  vtkSmartPointer<vtkSMExtractsController> Controller;
};

#endif
