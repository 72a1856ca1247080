// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMHostChart.h"

#include "pqDSMText.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

pqDSMHostChart::pqDSMHostChart(QWidget* parent)
  : Superclass(tr("Newest file on each host"), parent)
{
  this->setObjectName("hostChart");
  this->setToolTip(pqDSMText::tip(
    tr("Shows how much of the newest file is on each host (its rank below, its share "
       "above). The dashed line is an even share. Hosts are the processes of the "
       "ParaView server, which share memory. Strategy in Settings sets the "
       "distribution.")));
}

void pqDSMHostChart::show(const QVector<qint64>& bytes)
{
  if (bytes != this->Bytes)
  {
    this->Bytes = bytes;
    this->All = std::accumulate(bytes.begin(), bytes.end(), qint64(0));
    this->update();
  }
}

QVariantList pqDSMHostChart::bytes() const
{
  QVariantList bytes;
  for (const qint64 each : this->Bytes)
  {
    bytes.push_back(each);
  }
  return bytes;
}

QString pqDSMHostChart::share(qsizetype host) const
{
  const double part = static_cast<double>(this->Bytes[host]) / static_cast<double>(this->All);
  return tr("%1 %").arg(100 * part, 0, 'f', part > 0 && part < 0.1 ? 1 : 0);
}

QString pqDSMHostChart::reading(std::optional<double> mouse) const
{
  const QRectF area = this->area();
  if (!mouse || *mouse < area.left() || *mouse >= area.right())
  {
    return pqDSMText::bytes(this->All);
  }
  const auto host = static_cast<qsizetype>(
    (*mouse - area.left()) / area.width() * static_cast<double>(this->Bytes.size()));
  return tr("host %1: %2, %3")
    .arg(host)
    .arg(pqDSMText::bytes(this->Bytes[host]), this->share(host));
}

// Numbers in the largest unit that fits, which stands below.
void pqDSMHostChart::paintAxis(QPainter& painter, const QRectF& area, qint64 most) const
{
  const int line = this->fontMetrics().height();
  const QString top = pqDSMText::bytes(most);
  const QRectF left(0, 0, area.left() - 3, line);
  painter.setPen(this->palette().color(QPalette::WindowText));
  painter.drawText(
    left.translated(0, area.top() - 3), Qt::AlignRight | Qt::AlignVCenter, top.section(' ', 0, 0));
  painter.drawText(
    left.translated(0, area.bottom() - line + 3), Qt::AlignRight | Qt::AlignVCenter, "0");
  painter.drawText(
    left.translated(0, area.bottom() + 2), Qt::AlignRight | Qt::AlignVCenter, top.section(' ', 1));
  const double even = static_cast<double>(this->All) / static_cast<double>(this->Bytes.size());
  const double y = area.bottom() - area.height() * even / static_cast<double>(most);
  painter.setPen(QPen(this->palette().color(QPalette::Text), 1, Qt::DashLine));
  painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y));
}

void pqDSMHostChart::paintBar(
  QPainter& painter, qsizetype host, const QRectF& column, double high) const
{
  const auto& colours = this->palette();
  const int line = this->fontMetrics().height();
  const double gap = column.width() > 4 ? 1.5 : 0;
  const QRectF bar(column.left() + gap, column.bottom() - high, column.width() - 2 * gap, high);
  painter.fillRect(bar, colours.color(QPalette::Highlight));
  const QString text = this->share(host);
  if (this->fontMetrics().horizontalAdvance(text) < column.width() - 4)
  {
    painter.setPen(colours.color(high > line ? QPalette::HighlightedText : QPalette::Text));
    painter.drawText(
      QRectF(bar.left(), high > line ? bar.top() : bar.top() - line, bar.width(), line),
      Qt::AlignCenter, text);
  }
  const QString name = QString::number(host);
  if (this->fontMetrics().horizontalAdvance(name) < column.width() - 4)
  {
    painter.setPen(colours.color(QPalette::WindowText));
    painter.drawText(
      QRectF(column.left(), column.bottom() + 2, column.width(), line), Qt::AlignCenter, name);
  }
}

void pqDSMHostChart::paintData(QPainter& painter, const QRectF& area, std::optional<double>) const
{
  const qint64 most = *std::max_element(this->Bytes.begin(), this->Bytes.end());
  const double wide = area.width() / static_cast<double>(this->Bytes.size());
  for (qsizetype host = 0; host < this->Bytes.size(); ++host)
  {
    this->paintBar(painter, host,
      QRectF(area.left() + wide * static_cast<double>(host), area.top(), wide, area.height()),
      area.height() * static_cast<double>(this->Bytes[host]) / static_cast<double>(most));
  }
  this->paintAxis(painter, area, most);
}
