// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMActivity_h
#define pqDSMActivity_h

#include "pqDSMStatus.h"

#include <QWidget>

class pqDSMPlot;
class pqDSMSpread;

/// Write rate and blocked time of each snapshot, how full the memory is, and where the newest
/// snapshot lies.
class pqDSMActivity : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMActivity(QWidget* parent);

  void show(const pqDSMStatus& status);
  void clear();

private:
  pqDSMPlot* Rate;
  pqDSMPlot* Blocked;
  pqDSMPlot* Fill;
  pqDSMSpread* Spread;
  qint64 Last = 0; ///< the number of the last snapshot entered
};

#endif
