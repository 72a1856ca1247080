// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMMessageLabel.h"

#include <QEvent>

namespace
{
const QColor RedOnLight(176, 32, 24);
const QColor RedOnDark(255, 170, 160);
}

pqDSMMessageLabel::pqDSMMessageLabel(QWidget* parent)
  : Superclass(parent)
{
  this->setWordWrap(true);
  this->setTextFormat(Qt::PlainText);
}

void pqDSMMessageLabel::showMessage(const QString& text, bool isError)
{
  this->setText(text);
  if (isError != this->IsError)
  {
    this->IsError = isError;
    this->setColour();
  }
}

void pqDSMMessageLabel::changeEvent(QEvent* event)
{
  Superclass::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !this->SettingColour)
  {
    this->setColour();
  }
}

void pqDSMMessageLabel::setColour()
{
  this->SettingColour = true;
  // An empty palette takes the parent's colours.
  QPalette own;
  if (this->IsError)
  {
    const bool dark = this->palette().color(QPalette::Window).lightness() < 128;
    own.setColor(QPalette::WindowText, dark ? RedOnDark : RedOnLight);
  }
  this->setPalette(own);
  this->SettingColour = false;
}
