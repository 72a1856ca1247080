// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMReservedLabel.h"

#include <QEvent>
#include <QResizeEvent>
#include <QTimer>

#include <algorithm>

pqDSMReservedLabel::pqDSMReservedLabel(int lines, QWidget* parent)
  : Superclass(parent)
  , Lines(lines)
{
  this->setWordWrap(true);
  this->setTextFormat(Qt::PlainText);
  this->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  this->setFixedHeight(heightOf(lines, this));
}

void pqDSMReservedLabel::showText(const QString& text)
{
  if (text != this->text())
  {
    this->setText(text);
    this->fitHeight();
  }
}

int pqDSMReservedLabel::heightOf(int lines, const QWidget* widget)
{
  return lines * widget->fontMetrics().lineSpacing();
}

void pqDSMReservedLabel::fitHeight()
{
  // Not heightForWidth(), which is at least the height that was fixed before.
  const QRect area(0, 0, this->contentsRect().width(), QWIDGETSIZE_MAX);
  const int needed =
    this->fontMetrics().boundingRect(area, Qt::TextWordWrap, this->text()).height();
  this->setFixedHeight(std::max(heightOf(this->Lines, this), needed));
}

void pqDSMReservedLabel::changeEvent(QEvent* event)
{
  Superclass::changeEvent(event);
  if (event->type() == QEvent::FontChange)
  {
    this->fitHeight();
  }
}

void pqDSMReservedLabel::resizeEvent(QResizeEvent* event)
{
  Superclass::resizeEvent(event);
  if (event->size().width() != event->oldSize().width())
  {
    // Later: the layout that sets the width now would not see the new height.
    QTimer::singleShot(0, this, &pqDSMReservedLabel::fitHeight);
  }
}
