// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFixedLabel_h
#define pqDSMFixedLabel_h

#include <QLabel>

/// A plain text in a place for a number of lines, which it has whether it is full, empty or longer:
/// nothing below it moves when the text changes. The tool tip has the whole text.
class pqDSMFixedLabel : public QLabel
{
  Q_OBJECT
  using Superclass = QLabel;

public:
  pqDSMFixedLabel(int lines, QWidget* parent);

  void showText(const QString& text);

  /// The height of so many lines of a widget's text.
  static int heightOf(int lines, const QWidget* widget);

private:
  void changeEvent(QEvent* event) override;

  int Lines;
};

#endif
