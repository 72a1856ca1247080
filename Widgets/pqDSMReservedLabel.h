// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMReservedLabel_h
#define pqDSMReservedLabel_h

#include <QLabel>

/// A plain text with room for a number of lines, also while the text is shorter. So nothing below
/// the label moves when the text changes. A text with more lines gets the height that it needs.
class pqDSMReservedLabel : public QLabel
{
  Q_OBJECT
  using Superclass = QLabel;

public:
  pqDSMReservedLabel(int lines, QWidget* parent);

  void showText(const QString& text);

  /// The height of so many lines of a widget's text.
  static int heightOf(int lines, const QWidget* widget);

private:
  void changeEvent(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

  void fitHeight();

  int Lines;
};

#endif
