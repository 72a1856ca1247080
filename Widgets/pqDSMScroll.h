// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMScroll_h
#define pqDSMScroll_h

#include <QScrollArea>

/// A place of a fixed height for a text that may be longer: it scrolls, without a frame of its own.
class pqDSMScroll : public QScrollArea
{
  Q_OBJECT
  using Superclass = QScrollArea;

public:
  /// Owns the text's widget.
  pqDSMScroll(QWidget* text, QWidget* parent);
};

#endif
