// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFixedLabel.h"

#include <QEvent>

pqDSMFixedLabel::pqDSMFixedLabel(int lines, QWidget* parent)
  : Superclass(parent)
  , Lines(lines)
{
  this->setWordWrap(true);
  this->setTextFormat(Qt::PlainText);
  this->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  this->setFixedHeight(heightOf(lines, this));
}

void pqDSMFixedLabel::showText(const QString& text)
{
  this->setText(text);
  this->setToolTip(text);
}

int pqDSMFixedLabel::heightOf(int lines, const QWidget* widget)
{
  return lines * widget->fontMetrics().lineSpacing();
}

void pqDSMFixedLabel::changeEvent(QEvent* event)
{
  Superclass::changeEvent(event);
  if (event->type() == QEvent::FontChange)
  {
    this->setFixedHeight(heightOf(this->Lines, this));
  }
}
