// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMIcons.h"

#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmap>

namespace
{
// In a square of this side.
constexpr qreal Side = 16;

void DrawMemory(QPainter& painter)
{
  painter.drawRect(QRectF(4, 4, 8, 8));
  painter.drawRect(QRectF(6.5, 6.5, 3, 3));
  for (const qreal place : { 5.5, 8., 10.5 })
  {
    painter.drawLine(QPointF(place, 1.5), QPointF(place, 4));
    painter.drawLine(QPointF(place, 12), QPointF(place, 14.5));
    painter.drawLine(QPointF(1.5, place), QPointF(4, place));
    painter.drawLine(QPointF(12, place), QPointF(14.5, place));
  }
}

void DrawDisk(QPainter& painter)
{
  constexpr int half = 180 * 16; // as Qt counts angles
  painter.drawEllipse(QRectF(2.5, 1.5, 11, 4));
  painter.drawLine(QPointF(2.5, 3.5), QPointF(2.5, 12.5));
  painter.drawLine(QPointF(13.5, 3.5), QPointF(13.5, 12.5));
  for (const qreal top : { 4.5, 7.5, 10.5 })
  {
    painter.drawArc(QRectF(2.5, top, 11, 4), half, half);
  }
}

// Painted when it is shown: the theme may change.
class Engine : public QIconEngine
{
public:
  explicit Engine(void (*draw)(QPainter&))
    : Draw(draw)
  {
  }

  void paint(QPainter* painter, const QRect& area, QIcon::Mode mode, QIcon::State) override
  {
    const auto group = mode == QIcon::Disabled ? QPalette::Disabled : QPalette::Active;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->translate(area.topLeft());
    painter->scale(area.width() / Side, area.height() / Side);
    painter->setPen(QPen(QGuiApplication::palette().color(group, QPalette::ButtonText), 1.2));
    painter->setBrush(Qt::NoBrush);
    this->Draw(*painter);
    painter->restore();
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override
  {
    QPixmap pixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    this->paint(&painter, QRect(QPoint(), size), mode, state);
    return pixmap;
  }

  QIconEngine* clone() const override { return new Engine(*this); }

private:
  void (*Draw)(QPainter&);
};
}

QIcon pqDSMIcons::memory()
{
  return QIcon(new Engine(&DrawMemory));
}

QIcon pqDSMIcons::disk()
{
  return QIcon(new Engine(&DrawDisk));
}
