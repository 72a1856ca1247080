// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMText.h"

#include <QDateTime>
#include <QFileInfo>
#include <QObject>
#include <QRegularExpression>
#include <QStringList>

#include <algorithm>
#include <cmath>

namespace
{
const QStringList& Units()
{
  static const QStringList units = { "B", "KiB", "MiB", "GiB", "TiB", "PiB" };
  return units;
}

// Returns the place in the units at which a size has at most three digits.
int UnitOf(double size)
{
  int unit = 0;
  for (; size >= 1000 && unit + 1 < Units().size(); size /= 1024)
  {
    ++unit;
  }
  return unit;
}

// Returns three digits.
QString InUnit(qint64 size, int unit)
{
  const double value = std::ldexp(static_cast<double>(size), -10 * unit);
  const int digits = unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return QString::number(value, 'f', digits);
}
}

QString pqDSMText::duration(double seconds)
{
  if (seconds < 100)
  {
    return QObject::tr("%1 s").arg(std::max(1.0, seconds), 0, 'f', 0);
  }
  return seconds < 100 * 60 ? QObject::tr("%1 minutes").arg(seconds / 60, 0, 'f', 0)
                            : QObject::tr("%1 hours").arg(seconds / 3600, 0, 'f', 0);
}

QString pqDSMText::bytes(qint64 size)
{
  const int unit = UnitOf(static_cast<double>(size));
  return InUnit(size, unit) + " " + Units()[unit];
}

QString pqDSMText::bytesOf(qint64 part, qint64 whole)
{
  return QObject::tr("%1 of %2")
    .arg(InUnit(part, UnitOf(static_cast<double>(whole))), pqDSMText::bytes(whole));
}

QString pqDSMText::step(const QString& fileName)
{
  static const QRegularExpression numbers(R"(\d+(?:\.\d+)?)");
  QString found;
  auto each = numbers.globalMatch(QFileInfo(fileName).completeBaseName());
  while (each.hasNext())
  {
    found = each.next().captured();
  }
  return found.isEmpty() ? found : QString::number(found.toDouble(), 'g', 10);
}

QString pqDSMText::clock(double time)
{
  const auto when = QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(1000 * time));
  const bool today = when.date() == QDate::currentDate();
  return when.toString(today ? "HH:mm:ss" : "yyyy-MM-dd HH:mm:ss");
}

QString pqDSMText::breakable(QString text)
{
  // Zero-width spaces after slashes, but no line break after a path's first slash or a hyphen.
  static const QRegularExpression first("(?<!\\w)/");
  static const QRegularExpression inside("(?<=\\w)/");
  return text.replace(inside, QString("/") + QChar(0x200b))
    .replace(first, QString("/") + QChar(0x2060))
    .replace("-", QChar(0x2011));
}

QString pqDSMText::tip(const QString& text)
{
  constexpr qsizetype most = 64;
  QStringList lines;
  for (QString rest : text.split('\n'))
  {
    while (rest.size() > most)
    {
      const qsizetype space = rest.lastIndexOf(' ', most);
      const qsizetype slash = rest.lastIndexOf('/', most - 1) + 1;
      // A path may be longer than a line.
      const qsizetype end = space > 0 ? space : slash > 0 ? slash : most;
      lines << rest.left(end);
      rest = rest.mid(space > 0 ? end + 1 : end);
    }
    lines << rest;
  }
  return lines.join('\n');
}
