// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotCsv.h"

#include "pqDSMSnapshotModel.h"

#include <QAbstractItemModel>
#include <QCoreApplication>
#include <QDateTime>
#include <QSaveFile>
#include <QStringList>

namespace
{
// Quotes a text as RFC 4180 says.
QString Quoted(QString text)
{
  const bool mustQuote = text.contains(',') || text.contains('"') || text.contains('\n');
  return mustQuote ? '"' + text.replace('"', "\"\"") + '"' : text;
}

QString Line(const QModelIndex& row)
{
  const auto value = [&](int column)
  { return row.siblingAtColumn(column).data(pqDSMSnapshotModel::ValueRole); };
  const auto number = [&](int column)
  { return QString::number(value(column).toDouble(), 'g', 15); };
  using Model = pqDSMSnapshotModel;
  const auto written =
    QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(1000 * value(Model::Written).toDouble()));
  const QStringList cells{ value(Model::Number).toString(), number(Model::Step),
    number(Model::Time), value(Model::Size).toString(), Quoted(value(Model::File).toString()),
    written.toString(Qt::ISODateWithMs), value(Model::Pin).toBool() ? "yes" : "no",
    Quoted(row.data(Model::StreamRole).toString()), row.data(Model::RunRole).toString() };
  return cells.join(',') + '\n';
}

void AddLines(QString& text, const QAbstractItemModel& rows, const QModelIndex& parent)
{
  for (int row = 0; row < rows.rowCount(parent); ++row)
  {
    const auto index = rows.index(row, 0, parent);
    if (rows.hasChildren(index))
    {
      AddLines(text, rows, index);
    }
    else if (index.data(pqDSMSnapshotModel::StreamRole).isValid())
    {
      text += Line(index);
    }
  }
}
}

QString pqDSMSnapshotCsv::text(const QAbstractItemModel& rows)
{
  QString text = "Number,Step,Time,Bytes,File,Written,Pinned,Stream,Run\n";
  AddLines(text, rows, {});
  return text;
}

QString pqDSMSnapshotCsv::write(const QAbstractItemModel& rows, const QString& path)
{
  QSaveFile file(path);
  const bool isWritten = file.open(QIODevice::WriteOnly) &&
    file.write(pqDSMSnapshotCsv::text(rows).toUtf8()) >= 0 && file.commit();
  return isWritten ? QString()
                   : QCoreApplication::translate("pqDSMSnapshotCsv", "cannot write %1: %2")
                       .arg(path, file.errorString());
}
