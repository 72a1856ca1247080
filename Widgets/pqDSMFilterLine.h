// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFilterLine_h
#define pqDSMFilterLine_h

#include "pqDSMSnapshotFilter.h"

#include <QWidget>

class QLineEdit;

/// The line above the list in which the user says which snapshots to list.
class pqDSMFilterLine : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMFilterLine(QWidget* parent);

Q_SIGNALS:
  void changed(const pqDSMSnapshotFilter::Wanted& wanted);

private:
  struct Field
  {
    QString Name;
    QString Hint; ///< shown while the field is empty
    QString Tip;
  };

  QLineEdit* addTime(const Field& wanted);
  void announce();

  QLineEdit* Text;
  QLineEdit* From;
  QLineEdit* To;
};

#endif
