// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMFittingScroll.h"

#include <QEvent>
#include <QLayout>
#include <QResizeEvent>

#include <algorithm>

pqDSMFittingScroll::pqDSMFittingScroll(QWidget* parent)
  : Superclass(parent)
{
  this->setFrameShape(QFrame::NoFrame);
  this->setWidgetResizable(true);
  this->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  this->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
}

QSize pqDSMFittingScroll::sizeHint() const
{
  if (!this->widget())
  {
    return Superclass::sizeHint();
  }
  const QSize hint = this->widget()->sizeHint();
  const auto* layout = this->widget()->layout();
  const int width = this->viewport()->width();
  // Texts that are wrapped.
  return layout && layout->hasHeightForWidth() && width > 0
    ? QSize(hint.width(), layout->totalHeightForWidth(width))
    : hint;
}

QSize pqDSMFittingScroll::minimumSizeHint() const
{
  constexpr int lines = 8;
  return { 0, std::min(this->sizeHint().height(), lines * this->fontMetrics().height()) };
}

void pqDSMFittingScroll::resizeEvent(QResizeEvent* event)
{
  Superclass::resizeEvent(event);
  if (event->size().width() != event->oldSize().width())
  {
    this->updateGeometry();
  }
}

bool pqDSMFittingScroll::eventFilter(QObject* watched, QEvent* event)
{
  if (watched == this->widget() && event->type() == QEvent::LayoutRequest)
  {
    this->updateGeometry();
  }
  return Superclass::eventFilter(watched, event);
}
