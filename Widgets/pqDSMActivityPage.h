// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMActivityPage_h
#define pqDSMActivityPage_h

#include "pqDSMStatus.h"

#include <QWidget>

class pqDSMHistory;
class pqDSMHostChart;

/// The page "Activity": write rate and blocked time of each snapshot, the memory in use, and how
/// the newest snapshot is distributed over the hosts.
class pqDSMActivityPage : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMActivityPage(QWidget* parent);

  void show(const pqDSMStatus& status);
  void clear();

private:
  pqDSMHistory* Rate;
  pqDSMHistory* Blocked;
  pqDSMHistory* Fill;
  pqDSMHostChart* Hosts;
  qint64 LastNumber = 0; ///< of the last snapshot that was added to the curves
};

#endif
