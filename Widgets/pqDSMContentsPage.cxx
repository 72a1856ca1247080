// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMContentsPage.h"

#include "pqDSMCheckBoxDelegate.h"

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
  QChar Prefix; ///< of a key
  const char* Info;
  const char* Status;
};
const Arrays PointArrays{ 'P', "PointArrayInfo", "PointArrayStatus" };
const Arrays CellArrays{ 'C', "CellArrayInfo", "CellArrayStatus" };

// A property with a name and a number for each array has pairs of strings.
void AddPairs(vtkSMProxy* proxy, const char* name, QChar prefix, QHash<QString, bool>& loaded)
{
  const vtkSMPropertyHelper pairs(proxy, name);
  for (unsigned int index = 0; index + 1 < pairs.GetNumberOfElements(); index += 2)
  {
    loaded[prefix + QString::fromUtf8(pairs.GetAsString(index))] =
      QString(pairs.GetAsString(index + 1)) != "0";
  }
}

// The reader also keeps choices for arrays of other files.
void KeepArraysOfFile(vtkSMProxy* proxy, QHash<QString, bool>& loaded)
{
  const vtkSMPropertyHelper arrays(proxy, "FileArrays");
  QSet<QString> inFile;
  for (unsigned int index = 0; index + 1 < arrays.GetNumberOfElements(); index += 2)
  {
    const bool point = QString(arrays.GetAsString(index)) == "point";
    inFile.insert(
      (point ? PointArrays : CellArrays).Prefix + QString::fromUtf8(arrays.GetAsString(index + 1)));
  }
  loaded.removeIf([&](const auto& each) { return !inFile.contains(each.key()); });
}

// When the properties that are shown here were modified last.
quint64 ModificationTime(vtkSMProxy* proxy)
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

pqDSMContentsPage::pqDSMContentsPage(QWidget* parent)
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
  this->Tree->setItemDelegate(new pqDSMCheckBoxDelegate(this->Tree));
  auto* header = this->Tree->header();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(Name, QHeaderView::Stretch);
  header->setSectionResizeMode(Type, QHeaderView::ResizeToContents);
  header->setSectionResizeMode(Shape, QHeaderView::ResizeToContents);
  column->addWidget(this->Tree, 1);
  column->addStretch(0);
  this->ApplyTimer.setSingleShot(true);
  QObject::connect(&this->ApplyTimer, &QTimer::timeout, this, &pqDSMContentsPage::applyChoices);
  QObject::connect(
    this->Tree, &QTreeWidget::itemChanged, this, &pqDSMContentsPage::checkStateChanged);
}

void pqDSMContentsPage::show(pqPipelineSource* reader)
{
  const quint64 changed = reader ? ModificationTime(reader->getProxy()) : 0;
  if (reader == this->Reader && changed == this->ShownTime && !this->Note->text().isEmpty())
  {
    return;
  }
  this->Reader = reader;
  this->ShownTime = changed;
  QStringList contents;
  QHash<Key, bool> loaded;
  QString note =
    tr("Nothing is shown yet. When a snapshot is shown, its groups and datasets are listed here.");
  if (reader)
  {
    auto* proxy = reader->getProxy();
    const vtkSMPropertyHelper objects(proxy, "FileContents");
    for (unsigned int index = 0; index < objects.GetNumberOfElements(); ++index)
    {
      contents << QString::fromUtf8(objects.GetAsString(index));
    }
    for (const auto& arrays : { PointArrays, CellArrays })
    {
      AddPairs(proxy, arrays.Info, arrays.Prefix, loaded);
      AddPairs(proxy, arrays.Status, arrays.Prefix, loaded);
    }
    KeepArraysOfFile(proxy, loaded);
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
  this->Tree->setVisible(!contents.empty());
  QStringList arrays = loaded.keys();
  arrays.sort();
  if (contents != this->Contents || arrays != this->Arrays)
  {
    this->Contents = contents;
    this->Arrays = arrays;
    this->Loaded = loaded;
    this->fill();
  }
  else if (loaded != this->Loaded)
  {
    this->Loaded = loaded;
    this->showCheckStates();
  }
}

pqDSMContentsPage::Key pqDSMContentsPage::keyOf(const QString& path) const
{
  const QString inside = path.mid(1);
  const QString folder = path.section('/', -2, -2);
  const QString last = path.section('/', -1);
  for (const auto& arrays : { PointArrays, CellArrays })
  {
    const bool other = folder == (arrays.Prefix == 'P' ? "CellData" : "PointData");
    for (const QString& name : { inside, last })
    {
      if (!other && folder != "FieldData" && this->Loaded.contains(arrays.Prefix + name))
      {
        return arrays.Prefix + name;
      }
    }
  }
  return {};
}

QTreeWidgetItem* pqDSMContentsPage::itemAt(const QString& path)
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

void pqDSMContentsPage::setKey(QTreeWidgetItem* item, const Key& key)
{
  item->setData(Name, KeyRole, key);
  item->setFlags(item->flags() | Qt::ItemIsUserCheckable);
  for (auto* group = item->parent(); group; group = group->parent())
  {
    group->setFlags(group->flags() | Qt::ItemIsUserCheckable | Qt::ItemIsAutoTristate);
  }
}

// If the paths are the same, the items are kept: with them the expanded groups and the scroll
// position.
void pqDSMContentsPage::fill()
{
  this->Filling = true;
  QSet<QString> paths;
  for (qsizetype index = 0; index + 2 < this->Contents.size(); index += 3)
  {
    paths.insert(this->Contents[index]);
  }
  const QList<QString> before = this->Items.keys();
  if (paths != QSet<QString>(before.begin(), before.end()) || this->Tree->topLevelItemCount() == 0)
  {
    this->Tree->clear();
    this->Items.clear();
  }
  QSet<Key> found;
  for (qsizetype index = 0; index + 2 < this->Contents.size(); index += 3)
  {
    auto* item = this->itemAt(this->Contents[index]);
    const bool group = this->Contents[index + 1] == "group";
    item->setText(Type, group ? QString() : this->Contents[index + 1]);
    item->setText(Shape, this->Contents[index + 2]);
    item->setTextAlignment(Shape, Qt::AlignRight | Qt::AlignVCenter);
    if (group)
    {
      continue;
    }
    const Key key = this->keyOf(this->Contents[index]);
    if (!key.isEmpty())
    {
      found.insert(key);
      this->setKey(item, key);
    }
    else
    {
      item->setToolTip(
        Name, tr("%1\nNot one of the arrays that are loaded by a tick").arg(this->Contents[index]));
    }
  }
  this->addOtherArrays(found);
  this->Filling = false;
  this->showCheckStates();
}

void pqDSMContentsPage::addOtherArrays(const QSet<Key>& found)
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

void pqDSMContentsPage::showCheckStates()
{
  this->Filling = true;
  for (auto* item : std::as_const(this->Items))
  {
    const Key key = item->data(Name, KeyRole).toString();
    if (!key.isEmpty())
    {
      const bool on = this->Choices.value(key, this->Loaded.value(key));
      item->setCheckState(Name, on ? Qt::Checked : Qt::Unchecked);
    }
  }
  this->Filling = false;
}

void pqDSMContentsPage::checkStateChanged(QTreeWidgetItem* item)
{
  const Key key = item->data(Name, KeyRole).toString();
  if (this->Filling || key.isEmpty())
  {
    return;
  }
  this->Choices[key] = item->checkState(Name) == Qt::Checked;
  this->ApplyTimer.start(0);
}

void pqDSMContentsPage::applyChoices()
{
  const auto choices = std::exchange(this->Choices, {});
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
      for (auto each = choices.begin(); each != choices.end(); ++each)
      {
        if (each.key()[0] == arrays.Prefix)
        {
          status.SetStatus(qPrintable(each.key().mid(1)), each.value() ? 1 : 0);
        }
      }
    }
    proxy->UpdateVTKObjects();
  }
  this->show(this->Reader);
  this->showCheckStates(); // the datasets of several blocks may be one array
  Q_EMIT this->changed();
}
