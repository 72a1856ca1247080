// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMNotice.h"

#include <QEvent>

namespace
{
const QColor OnLight(176, 32, 24);
const QColor OnDark(255, 170, 160);
}

pqDSMNotice::pqDSMNotice(QWidget* parent)
  : Superclass(parent)
{
  this->setWordWrap(true);
  this->setTextFormat(Qt::PlainText);
}

void pqDSMNotice::say(const QString& text, bool wrong)
{
  this->setText(text);
  if (wrong != this->Wrong)
  {
    this->Wrong = wrong;
    this->colour();
  }
}

void pqDSMNotice::changeEvent(QEvent* event)
{
  Superclass::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !this->Colouring)
  {
    this->colour();
  }
}

void pqDSMNotice::colour()
{
  this->Colouring = true;
  // Without a colour of its own it has that of what is around it.
  QPalette own;
  if (this->Wrong)
  {
    const bool dark = this->palette().color(QPalette::Window).lightness() < 128;
    own.setColor(QPalette::WindowText, dark ? OnDark : OnLight);
  }
  this->setPalette(own);
  this->Colouring = false;
}
