// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMDropQuestion_h
#define pqDSMDropQuestion_h

#include "pqDSMQuestion.h"
#include "pqDSMStatus.h"

class pqDSMServerProxy;

/// Asks before the user drops snapshots from memory.
class pqDSMDropQuestion : public pqDSMQuestion
{
  Q_OBJECT
  using Superclass = pqDSMQuestion;

public:
  pqDSMDropQuestion(
    const QVector<pqDSMStatus::Snapshot>& snapshots, pqDSMServerProxy* server, QWidget* parent);
};

#endif
