// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMScroll.h"

#include <QVBoxLayout>

pqDSMScroll::pqDSMScroll(QWidget* text, QWidget* parent)
  : Superclass(parent)
{
  this->setFrameShape(QFrame::NoFrame);
  this->setWidgetResizable(true);
  this->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  // A layout tells the area of another height also while the text cannot be seen.
  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(text);
  this->setWidget(content);
  // As what is around it.
  this->viewport()->setAutoFillBackground(false);
  content->setAutoFillBackground(false);
}
