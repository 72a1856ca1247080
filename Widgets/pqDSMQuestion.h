// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMQuestion_h
#define pqDSMQuestion_h

#include <QMessageBox>

/// A question before something is lost. Escape is Cancel, and so is Enter unless another answer is
/// made the default. It deletes itself when it is closed, and has no event loop of its own: open().
class pqDSMQuestion : public QMessageBox
{
  Q_OBJECT
  using Superclass = QMessageBox;

public:
  /// `name` is for tests, `cancelTip` the tool tip of Cancel.
  pqDSMQuestion(const QString& name, const QString& title, const QString& text,
    const QString& cancelTip, QWidget* parent);

  struct Answer
  {
    QString Name; ///< for tests
    QString Text;
    QString Tip;
    QMessageBox::ButtonRole Role;
  };
  /// A button, by which the question is closed.
  QPushButton* addAnswer(const Answer& answer);
};

#endif
