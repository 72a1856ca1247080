// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMBalloon_h
#define pqDSMBalloon_h

#include <QLabel>

/// A message above a field, which lies over what is there: the field and its neighbours stay where
/// they are. A click hides it.
class pqDSMBalloon : public QLabel
{
  Q_OBJECT
  using Superclass = QLabel;

public:
  explicit pqDSMBalloon(QWidget* field);

  /// Hides it when the text is empty.
  void showText(const QString& text);

private:
  void mousePressEvent(QMouseEvent* event) override;

  QWidget* Field;
};

#endif
