// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFittingScroll_h
#define pqDSMFittingScroll_h

#include <QScrollArea>

/// A scroll area that is no higher than what is in it, so that what stands below it follows at
/// once; with less room than that it scrolls up and down.
class pqDSMFittingScroll : public QScrollArea
{
  Q_OBJECT
  using Superclass = QScrollArea;

public:
  explicit pqDSMFittingScroll(QWidget* parent);

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

protected:
  void resizeEvent(QResizeEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
};

#endif
