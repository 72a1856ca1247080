// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMContents.h"

#include "pqDSMTickDelegate.h"

#include <pqPipelineSource.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMTrace.h>

#include <QHeaderView>
#include <QLabel>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace
{
enum Column
{
  Name,
  Type,
  Shape,
  Columns
};

constexpr int KeyRole = Qt::UserRole;

struct Arrays
{
  QChar Sign;
  const char* Info;
  const char* Status;
};
const Arrays PointArrays{ 'P', "PointArrayInfo", "PointArrayStatus" };
const Arrays CellArrays{ 'C', "CellArrayInfo", "CellArrayStatus" };

// Properties of a text and a number per array come as pairs of texts.
void AddPairs(vtkSMProxy* proxy, const char* name, QChar sign, QHash<QString, bool>& chosen)
{
  const vtkSMPropertyHelper pairs(proxy, name);
  for (unsigned int index = 0; index + 1 < pairs.GetNumberOfElements(); index += 2)
  {
    chosen[sign + QString::fromUtf8(pairs.GetAsString(index))] =
      QString(pairs.GetAsString(index + 1)) != "0";
  }
}

// Other files of the same simulation may have other arrays, and choices of those stay.
void KeepThoseOfTheFile(vtkSMProxy* proxy, QHash<QString, bool>& chosen)
{
  const vtkSMPropertyHelper arrays(proxy, "FileArrays");
  QSet<QString> there;
  for (unsigned int index = 0; index + 1 < arrays.GetNumberOfElements(); index += 2)
  {
    const bool point = QString(arrays.GetAsString(index)) == "point";
    there.insert(
      (point ? PointArrays : CellArrays).Sign + QString::fromUtf8(arrays.GetAsString(index + 1)));
  }
  chosen.removeIf([&](const auto& each) { return !there.contains(each.key()); });
}

// When what is shown of a reader changed last.
quint64 LastChange(vtkSMProxy* proxy)
{
  quint64 last = 0;
  for (const char* name :
    { "FileContents", "FileArrays", "ShownSnapshot", "RecognisedAs", "RecognisedBecause",
      PointArrays.Info, PointArrays.Status, CellArrays.Info, CellArrays.Status })
  {
    last = std::max<quint64>(last, proxy->GetProperty(name)->GetMTime());
  }
  return last;
}
}

pqDSMContents::pqDSMContents(QWidget* parent)
  : Superclass(parent)
  , Note(new QLabel(this))
  , Tree(new QTreeWidget(this))
{
  this->setObjectName("contents");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  this->Note->setObjectName("contentsNote");
  this->Note->setWordWrap(true);
  this->Note->setTextFormat(Qt::PlainText);
  column->addWidget(this->Note);
  this->Tree->setObjectName("tree");
  this->Tree->setColumnCount(Columns);
  this->Tree->setHeaderLabels({ tr("Name"), tr("Type"), tr("Shape") });
  this->Tree->headerItem()->setToolTip(
    Name, tr("Groups and datasets of the HDF5 file. Ticked ones are loaded"));
  this->Tree->headerItem()->setToolTip(Type, tr("What each number is: float64 takes 64 bits"));
  this->Tree->headerItem()->setToolTip(
    Shape, tr("How many numbers, in each dimension; the last one varies fastest"));
  this->Tree->setToolTip(tr("Untick what need not be loaded"));
  this->Tree->setAlternatingRowColors(true);
  this->Tree->setUniformRowHeights(true);
  this->Tree->setItemDelegate(new pqDSMTickDelegate(this->Tree));
  auto* header = this->Tree->header();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(Name, QHeaderView::Stretch);
  header->setSectionResizeMode(Type, QHeaderView::ResizeToContents);
  header->setSectionResizeMode(Shape, QHeaderView::ResizeToContents);
  column->addWidget(this->Tree, 1);
  column->addStretch(0);
  this->Soon.setSingleShot(true);
  QObject::connect(&this->Soon, &QTimer::timeout, this, &pqDSMContents::load);
  QObject::connect(this->Tree, &QTreeWidget::itemChanged, this, &pqDSMContents::ticked);
}

void pqDSMContents::show(pqPipelineSource* reader)
{
  const quint64 changed = reader ? LastChange(reader->getProxy()) : 0;
  if (reader == this->Reader && changed == this->Seen && !this->Note->text().isEmpty())
  {
    return;
  }
  this->Reader = reader;
  this->Seen = changed;
  QStringList told;
  QHash<Key, bool> chosen;
  QString note =
    tr("Nothing is shown yet. When a snapshot is shown, its groups and datasets are listed here.");
  if (reader)
  {
    auto* proxy = reader->getProxy();
    const vtkSMPropertyHelper contents(proxy, "FileContents");
    for (unsigned int index = 0; index < contents.GetNumberOfElements(); ++index)
    {
      told << QString::fromUtf8(contents.GetAsString(index));
    }
    for (const auto& arrays : { PointArrays, CellArrays })
    {
      AddPairs(proxy, arrays.Info, arrays.Sign, chosen);
      AddPairs(proxy, arrays.Status, arrays.Sign, chosen);
    }
    KeepThoseOfTheFile(proxy, chosen);
    const QString as = vtkSMPropertyHelper(proxy, "RecognisedAs").GetAsString();
    if (!as.isEmpty())
    {
      const auto number = vtkSMPropertyHelper(proxy, "ShownSnapshot").GetAsIdType();
      note = (number > 0 ? tr("No. %1 is shown").arg(number) : tr("Shown")) +
        tr(" as %1, because %2. To change it, set Read As in the Properties panel.")
          .arg(as, vtkSMPropertyHelper(proxy, "RecognisedBecause").GetAsString());
    }
  }
  this->Note->setText(note);
  this->Tree->setVisible(!told.empty());
  QStringList arrays = chosen.keys();
  arrays.sort();
  if (told != this->Told || arrays != this->Arrays)
  {
    this->Told = told;
    this->Arrays = arrays;
    this->Chosen = chosen;
    this->fill();
  }
  else if (chosen != this->Chosen)
  {
    this->Chosen = chosen;
    this->mark();
  }
}

pqDSMContents::Key pqDSMContents::keyOf(const QString& path) const
{
  const QString inside = path.mid(1);
  const QString folder = path.section('/', -2, -2);
  const QString last = path.section('/', -1);
  for (const auto& arrays : { PointArrays, CellArrays })
  {
    const bool other = folder == (arrays.Sign == 'P' ? "CellData" : "PointData");
    for (const QString& name : { inside, last })
    {
      if (!other && folder != "FieldData" && this->Chosen.contains(arrays.Sign + name))
      {
        return arrays.Sign + name;
      }
    }
  }
  return {};
}

QTreeWidgetItem* pqDSMContents::itemAt(const QString& path)
{
  if (auto* known = this->Items.value(path))
  {
    return known;
  }
  const QString above = path.section('/', 0, -2);
  auto* item =
    above.isEmpty() ? new QTreeWidgetItem(this->Tree) : new QTreeWidgetItem(this->itemAt(above));
  item->setText(Name, path.section('/', -1));
  item->setToolTip(Name, path);
  item->setExpanded(true);
  this->Items[path] = item;
  return item;
}

void pqDSMContents::setKey(QTreeWidgetItem* item, const Key& key)
{
  item->setData(Name, KeyRole, key);
  item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
  for (auto* group = item->parent(); group; group = group->parent())
  {
    group->setFlags(group->flags() | Qt::ItemIsUserCheckable | Qt::ItemIsAutoTristate);
  }
}

// The same paths again, with other shapes perhaps, keep what is open and where one has scrolled to.
void pqDSMContents::fill()
{
  this->Filling = true;
  QSet<QString> paths;
  for (qsizetype index = 0; index + 2 < this->Told.size(); index += 3)
  {
    paths.insert(this->Told[index]);
  }
  const QList<QString> before = this->Items.keys();
  if (paths != QSet<QString>(before.begin(), before.end()) || this->Tree->topLevelItemCount() == 0)
  {
    this->Tree->clear();
    this->Items.clear();
  }
  QSet<Key> found;
  for (qsizetype index = 0; index + 2 < this->Told.size(); index += 3)
  {
    auto* item = this->itemAt(this->Told[index]);
    const bool group = this->Told[index + 1] == "group";
    item->setText(Type, group ? QString() : this->Told[index + 1]);
    item->setText(Shape, this->Told[index + 2]);
    item->setTextAlignment(Shape, Qt::AlignRight | Qt::AlignVCenter);
    if (group)
    {
      continue;
    }
    const Key key = this->keyOf(this->Told[index]);
    if (!key.isEmpty())
    {
      found.insert(key);
      this->setKey(item, key);
    }
    else
    {
      item->setToolTip(
        Name, tr("%1\nNot one of the arrays that are loaded by a tick").arg(this->Told[index]));
    }
  }
  this->addArrays(found);
  this->Filling = false;
  this->mark();
}

void pqDSMContents::addArrays(const QSet<Key>& found)
{
  const QString place = "/" + tr("(named by a description)");
  for (const Key& key : std::as_const(this->Arrays))
  {
    if (!found.contains(key))
    {
      auto* item = this->itemAt(place + "/" + key.mid(1).replace('/', '.'));
      item->setText(Name, key.mid(1));
      item->setText(Type, key[0] == 'P' ? tr("at points") : tr("in cells"));
      this->setKey(item, key);
    }
  }
}

void pqDSMContents::mark()
{
  this->Filling = true;
  for (auto* item : std::as_const(this->Items))
  {
    const Key key = item->data(Name, KeyRole).toString();
    if (!key.isEmpty())
    {
      const bool on = this->Wanted.value(key, this->Chosen.value(key));
      item->setCheckState(Name, on ? Qt::Checked : Qt::Unchecked);
    }
  }
  this->Filling = false;
}

void pqDSMContents::ticked(QTreeWidgetItem* item)
{
  const Key key = item->data(Name, KeyRole).toString();
  if (this->Filling || key.isEmpty())
  {
    return;
  }
  this->Wanted[key] = item->checkState(Name) == Qt::Checked;
  this->Soon.start(0);
}

void pqDSMContents::load()
{
  const auto wanted = std::exchange(this->Wanted, {});
  if (!this->Reader)
  {
    return;
  }
  auto* proxy = this->Reader->getSourceProxy();
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
    for (const auto& arrays : { PointArrays, CellArrays })
    {
      vtkSMPropertyHelper status(proxy, arrays.Status);
      for (auto each = wanted.begin(); each != wanted.end(); ++each)
      {
        if (each.key()[0] == arrays.Sign)
        {
          status.SetStatus(qPrintable(each.key().mid(1)), each.value() ? 1 : 0);
        }
      }
    }
    proxy->UpdateVTKObjects();
  }
  this->show(this->Reader);
  this->mark(); // datasets of several blocks go by one array
  Q_EMIT this->changed();
}
