// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMArrayPicture.h"

#include <QColor>
#include <QImage>
#include <QLabel>
#include <QPixmap>
#include <QVBoxLayout>

namespace
{
constexpr int Side = 180;
constexpr int Gap = 24; // to the next picture

// Dark blue, green and yellow, as ParaView's Viridis has them at its ends and in the middle.
QList<QRgb> Colours()
{
  const QColor stops[] = { QColor(68, 1, 84), QColor(33, 145, 140), QColor(253, 231, 37) };
  constexpr int last = 255;
  QList<QRgb> colours;
  for (int index = 0; index <= last; ++index)
  {
    const double place = 2.0 * index / last;
    const int stop = place < 1 ? 0 : 1;
    const double part = place - stop;
    const auto mix = [&](auto component)
    {
      return static_cast<int>(
        (stops[stop].*component)() * (1 - part) + (stops[stop + 1].*component)() * part);
    };
    colours << qRgb(mix(&QColor::red), mix(&QColor::green), mix(&QColor::blue));
  }
  return colours;
}

QString Number(const QJsonValue& value)
{
  return value.isDouble() ? QString::number(value.toDouble(), 'g', 4) : QString("inf");
}
}

pqDSMArrayPicture::pqDSMArrayPicture(const QString& title, QWidget* parent)
  : Superclass(parent)
  , Picture(new QLabel(this))
  , Range(new QLabel(this))
{
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(new QLabel(title, this));
  this->Picture->setObjectName("picture");
  this->Picture->setFixedSize(Side, Side);
  this->Picture->setAlignment(Qt::AlignCenter);
  this->Picture->setFrameShape(QFrame::StyledPanel);
  this->Picture->setWordWrap(true);
  column->addWidget(this->Picture);
  this->Range->setObjectName("range");
  this->Range->setFixedWidth(Side + Gap);
  this->Range->setWordWrap(true);
  column->addWidget(this->Range);
  column->addStretch(1);
}

void pqDSMArrayPicture::showSummary(const QJsonObject& summary)
{
  const int width = summary["Width"].toInt();
  const int height = summary["Height"].toInt();
  const auto pixels = QByteArray::fromHex(summary["Picture"].toString().toLatin1());
  if (width < 1 || height < 1 || pixels.size() < static_cast<qsizetype>(width) * height)
  {
    this->showText({});
    return;
  }
  QImage image(reinterpret_cast<const uchar*>(pixels.constData()), width, height, width,
    QImage::Format_Indexed8);
  image.setColorTable(Colours());
  // An array with one index is a strip that can be seen.
  const QSize size = height == 1
    ? QSize(Side - 4, Side / 6)
    : QSize(width, height).scaled(Side - 4, Side - 4, Qt::KeepAspectRatio);
  this->Picture->setPixmap(
    QPixmap::fromImage(image.scaled(size, Qt::IgnoreAspectRatio, Qt::FastTransformation)));
  QString range =
    tr("%1 to %2, mean %3")
      .arg(Number(summary["Smallest"]), Number(summary["Largest"]), Number(summary["Mean"]));
  if (const auto nans = summary["NotANumber"].toInteger(); nans > 0)
  {
    range += tr(", %1 not a number").arg(nans);
  }
  this->Range->setText(range);
}

void pqDSMArrayPicture::showText(const QString& text)
{
  this->Picture->setPixmap({});
  this->Picture->setText(text);
  this->Range->clear();
}
