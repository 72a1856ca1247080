// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMMessageLabel_h
#define pqDSMMessageLabel_h

#include <QLabel>

/// A plain text of one or more lines. An error is red, in a red that can be read on the background
/// of light and of dark themes.
class pqDSMMessageLabel : public QLabel
{
  Q_OBJECT
  using Superclass = QLabel;

public:
  explicit pqDSMMessageLabel(QWidget* parent);

  void showMessage(const QString& text, bool isError = false);

private:
  void changeEvent(QEvent* event) override;
  void setColour();

  bool IsError = false;
  bool SettingColour = false;
};

#endif
