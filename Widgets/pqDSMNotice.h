// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMNotice_h
#define pqDSMNotice_h

#include <QLabel>

/// A plain text of one or more lines that may say what is wrong: then it is red, in a red that can
/// be read on what is behind it, in light themes and in dark ones. The words say it, too.
class pqDSMNotice : public QLabel
{
  Q_OBJECT
  using Superclass = QLabel;

public:
  explicit pqDSMNotice(QWidget* parent);

  void say(const QString& text, bool wrong = false);

private:
  void changeEvent(QEvent* event) override;
  void colour();

  bool Wrong = false;
  bool Colouring = false;
};

#endif
