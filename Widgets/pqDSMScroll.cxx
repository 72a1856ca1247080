// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMScroll.h"

pqDSMScroll::pqDSMScroll(QWidget* text, QWidget* parent)
  : Superclass(parent)
{
  this->setFrameShape(QFrame::NoFrame);
  this->setWidgetResizable(true);
  this->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  this->setWidget(text);
  // As what is around it.
  this->viewport()->setAutoFillBackground(false);
  text->setAutoFillBackground(false);
}
