// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMContentsPage.h"

#include "pqDSMCheckBoxDelegate.h"
#include "pqDSMMessageLabel.h"
#include "pqDSMReadAsWidget.h"
#include "pqDSMReadSettings.h"
#include "pqDSMRemarks.h"
#include "pqDSMRepresentation.h"
#include "pqDSMSceneTime.h"
#include "pqDSMText.h"

#include <pqActiveObjects.h>
#include <pqCoreUtilities.h>
#include <pqDataRepresentation.h>
#include <pqOutputPort.h>
#include <pqPipelineSource.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMSourceProxy.h>
#include <vtkSMStringVectorProperty.h>
#include <vtkSMTrace.h>

#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
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

// When one of a proxy's properties was modified last.
quint64 LastModified(vtkSMProxy* proxy, const std::vector<const char*>& names)
{
  quint64 last = 0;
  for (const char* name : names)
  {
    // Not every reader has all of them.
    auto* property = proxy->GetProperty(name);
    last = std::max<quint64>(last, property ? property->GetMTime() : 0);
  }
  return last;
}

// Of those that are shown here.
quint64 ModificationTime(vtkSMProxy* proxy)
{
  return LastModified(proxy,
    { "FileContents", "FileArrays", "ShownSnapshot", "RecognisedAs", "RecognisedBecause", "Guesses",
      "Alternatives", "SetByUser", "LeftOut", "MemoryOfArrays", "ErrorText", "ReadAs",
      PointArrays.Info, PointArrays.Status, CellArrays.Info, CellArrays.Status });
}

// Returns when the user last said which file to read, or how.
quint64 SettingTime(vtkSMProxy* proxy)
{
  return std::max(LastModified(proxy, { "FileName", "ContactFile" }),
    LastModified(proxy, pqDSMReadSettings::names()));
}

QStringList TextsOf(vtkSMProxy* proxy, const char* name)
{
  QStringList texts;
  const vtkSMPropertyHelper values(proxy, name);
  for (unsigned int index = 0; index < values.GetNumberOfElements(); ++index)
  {
    texts << QString::fromUtf8(values.GetAsString(index));
  }
  return texts;
}

// How the file is read, and why.
QString NoteOf(vtkSMProxy* proxy)
{
  const QString as = vtkSMPropertyHelper(proxy, "RecognisedAs").GetAsString();
  if (as.isEmpty())
  {
    return {};
  }
  return QObject::tr("Read as %1 (%2).")
    .arg(as, vtkSMPropertyHelper(proxy, "RecognisedBecause").GetAsString());
}

QString NumberOf(vtkSMProxy* proxy)
{
  const auto number = proxy->GetProperty("ShownSnapshot")
    ? vtkSMPropertyHelper(proxy, "ShownSnapshot").GetAsIdType()
    : 0;
  return number > 0 ? QObject::tr("Snapshot No. %1").arg(number) : QString();
}
}

pqDSMContentsPage::pqDSMContentsPage(QWidget* parent)
  : Superclass(parent)
  , ReadAs(new pqDSMReadAsWidget(this))
  , Note(new pqDSMMessageLabel(this))
  , Remarks(new pqDSMRemarks(this))
  , Tree(new QTreeWidget(this))
  , LeftOut(new QTreeWidget(this))
{
  this->setObjectName("contents");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  this->Note->setObjectName("contentsNote");
  this->Note->setWordWrap(true);
  column->addWidget(this->ReadAs);
  column->addWidget(this->Note);
  column->addWidget(this->Remarks);
  this->Tree->setObjectName("tree");
  this->Tree->setColumnCount(Columns);
  this->Tree->setHeaderLabels({ tr("Name"), tr("Type"), tr("Shape") });
  this->Tree->headerItem()->setToolTip(
    Name, tr("Groups and datasets of the HDF5 file; checked ones are loaded"));
  this->Tree->headerItem()->setToolTip(Type, tr("Element type"));
  this->Tree->headerItem()->setToolTip(
    Shape, tr("Size of each dimension; the last one varies fastest"));
  this->Tree->setToolTip(tr("Uncheck arrays you do not need."));
  this->Tree->setAlternatingRowColors(true);
  this->Tree->setUniformRowHeights(true);
  this->Tree->setItemDelegate(new pqDSMCheckBoxDelegate(this->Tree));
  auto* header = this->Tree->header();
  header->setStretchLastSection(false);
  header->setSectionResizeMode(Name, QHeaderView::Stretch);
  header->setSectionResizeMode(Type, QHeaderView::ResizeToContents);
  header->setSectionResizeMode(Shape, QHeaderView::ResizeToContents);
  column->addWidget(this->Tree, 1);
  this->LeftOut->setObjectName("leftOut");
  this->LeftOut->setHeaderLabels({ tr("Not Loaded"), tr("Reason") });
  this->LeftOut->headerItem()->setToolTip(0, tr("Objects of the file that are not loaded"));
  this->LeftOut->headerItem()->setToolTip(1, tr("Why the object is not loaded"));
  this->LeftOut->setToolTip(tr("Lists objects of the file that are not loaded."));
  this->LeftOut->setAlternatingRowColors(true);
  this->LeftOut->setUniformRowHeights(true);
  this->LeftOut->setRootIsDecorated(false);
  this->LeftOut->setVisible(false);
  column->addWidget(this->LeftOut);
  column->addStretch(0);
  this->ApplyTimer.setSingleShot(true);
  QObject::connect(&this->ApplyTimer, &QTimer::timeout, this, &pqDSMContentsPage::applyChoices);
  this->ReadTimer.setSingleShot(true);
  QObject::connect(&this->ReadTimer, &QTimer::timeout, this, &pqDSMContentsPage::readAnew);
  QObject::connect(
    this->Remarks, &pqDSMRemarks::settingRequested, this, &pqDSMContentsPage::goToProperty);
  QObject::connect(
    this->Remarks, &pqDSMRemarks::alternativeChosen, this, &pqDSMContentsPage::setProperty);
  QObject::connect(this->ReadAs, &pqDSMReadAsWidget::chosen, this,
    [this](const QString& value) { this->setProperty("ReadAs", value); });
  QObject::connect(this->Remarks, &pqDSMRemarks::resetRequested, this,
    [this](const QString& property) { this->setProperty(property, {}); });
  QObject::connect(
    this->Tree, &QTreeWidget::itemChanged, this, &pqDSMContentsPage::checkStateChanged);
}

void pqDSMContentsPage::show(pqPipelineSource* reader, bool withError)
{
  const quint64 changed = reader ? ModificationTime(reader->getProxy()) : 0;
  if (reader == this->Reader && withError == this->WithError && changed == this->ShownTime &&
    !this->Note->text().isEmpty())
  {
    return;
  }
  if (reader != this->Reader)
  {
    if (this->Reader)
    {
      QObject::disconnect(this->Reader, nullptr, this, nullptr);
    }
    if (reader)
    {
      QObject::connect(reader, qOverload<pqPipelineSource*>(&pqPipelineSource::dataUpdated), this,
        &pqDSMContentsPage::dataUpdated);
      this->SetTime = SettingTime(reader->getProxy());
      // It may have been updated while another was shown here.
      this->ReadTimer.start(0);
    }
  }
  this->Reader = reader;
  this->WithError = withError;
  this->ShownTime = changed;
  this->showReader();
}

void pqDSMContentsPage::showReader()
{
  QStringList contents, guesses, alternatives, set, left, memory;
  QHash<Key, bool> loaded;
  QString note, number, error;
  if (this->Reader)
  {
    auto* proxy = this->Reader->getProxy();
    error = QString::fromUtf8(vtkSMPropertyHelper(proxy, "ErrorText").GetAsString());
    contents = TextsOf(proxy, "FileContents");
    for (const auto& arrays : { PointArrays, CellArrays })
    {
      AddPairs(proxy, arrays.Info, arrays.Prefix, loaded);
      AddPairs(proxy, arrays.Status, arrays.Prefix, loaded);
    }
    KeepArraysOfFile(proxy, loaded);
    note = NoteOf(proxy);
    number = NumberOf(proxy);
    guesses = TextsOf(proxy, "Guesses");
    // Not every reader has every property: the time of a snapshot is the snapshot's.
    for (qsizetype index = 1; index < guesses.size(); index += 2)
    {
      if (!proxy->GetProperty(qPrintable(guesses[index])))
      {
        guesses[index].clear();
      }
    }
    alternatives = TextsOf(proxy, "Alternatives");
    for (qsizetype index = 1; index < alternatives.size(); index += 4)
    {
      if (!proxy->GetProperty(qPrintable(alternatives[index])))
      {
        alternatives[index].clear();
      }
    }
    set = TextsOf(proxy, "SetByUser");
    left = TextsOf(proxy, "LeftOut");
    memory = TextsOf(proxy, "MemoryOfArrays");
  }
  if (note.isEmpty())
  {
    note = tr("No data yet. The groups and datasets of the shown snapshot are listed here.");
  }
  if (!error.isEmpty())
  {
    note = this->WithError ? error : tr("No data is shown. The message below gives the reason.");
  }
  this->Note->showMessage(note, this->WithError && !error.isEmpty());
  this->Note->setToolTip(number);
  this->ReadAs->show(this->Reader ? this->Reader->getProxy() : nullptr);
  this->Remarks->show(guesses, alternatives, set);
  this->showLeftOut(left);
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
  this->showMemory(memory);
}

// The tip of an array says how it came into memory: pairs of name and note.
void pqDSMContentsPage::showMemory(const QStringList& notes)
{
  QHash<QString, QString> byName;
  for (qsizetype index = 0; index + 1 < notes.size(); index += 2)
  {
    byName[notes[index]] = notes[index + 1];
  }
  for (auto item = this->Items.cbegin(); item != this->Items.cend(); ++item)
  {
    const Key key = item.value()->data(Name, KeyRole).toString();
    if (!key.isEmpty())
    {
      const QString note = byName.value(key.mid(1));
      item.value()->setToolTip(Name,
        pqDSMText::tip(note.isEmpty() ? item.key() : tr("%1\nMemory: %2").arg(item.key(), note)));
    }
  }
}

void pqDSMContentsPage::showLeftOut(const QStringList& left)
{
  constexpr qsizetype mostRows = 5; // at once
  this->LeftOut->setVisible(!left.empty());
  this->LeftOut->clear();
  for (qsizetype index = 0; index + 1 < left.size(); index += 2)
  {
    auto* item = new QTreeWidgetItem(this->LeftOut, { left[index], left[index + 1] });
    // The whole of what may be too wide.
    item->setToolTip(0, pqDSMText::tip(left[index]));
    item->setToolTip(1, pqDSMText::tip(left[index + 1]));
  }
  if (left.empty())
  {
    return;
  }
  const int row = this->LeftOut->sizeHintForRow(0);
  const auto rows = std::min(left.size() / 2, mostRows);
  this->LeftOut->setFixedHeight(this->LeftOut->header()->sizeHint().height() +
    static_cast<int>(rows) * row + 2 * this->LeftOut->frameWidth() + 2);
  this->fitLeftOut();
}

// Paths as wide as they are, but leaving room for reasons.
void pqDSMContentsPage::fitLeftOut()
{
  auto* header = this->LeftOut->header();
  this->LeftOut->resizeColumnToContents(0);
  header->resizeSection(0,
    std::min(
      this->LeftOut->columnWidth(0), std::max(this->width() / 2, header->sectionSizeHint(0))));
}

void pqDSMContentsPage::resizeEvent(QResizeEvent* event)
{
  Superclass::resizeEvent(event);
  this->fitLeftOut();
}

// After an update: if the user has set something, all that is shown here may be otherwise.
void pqDSMContentsPage::dataUpdated()
{
  const quint64 set = this->Reader ? SettingTime(this->Reader->getProxy()) : 0;
  if (set != this->SetTime)
  {
    this->SetTime = set;
    this->ReadTimer.start(0);
  }
}

// Sets one of the reader's properties, or resets it if the value is null, and reads anew.
void pqDSMContentsPage::setProperty(const QString& name, const QString& value)
{
  auto* proxy = this->Reader ? this->Reader->getSourceProxy() : nullptr;
  auto* property = proxy ? proxy->GetProperty(qPrintable(name)) : nullptr;
  if (!property)
  {
    return;
  }
  const QString kind = pqDSMRepresentation::kindOf(this->Reader);
  {
    SM_SCOPED_TRACE(PropertiesModified).arg("proxy", proxy);
    if (value.isNull())
    {
      property->ResetToDefault();
    }
    else if (vtkSMStringVectorProperty::SafeDownCast(property))
    {
      vtkSMPropertyHelper(property).Set(qPrintable(value));
    }
    else
    {
      vtkSMPropertyHelper(property).Set(value.toInt());
    }
    proxy->UpdateVTKObjects();
  }
  // The views must not ask for what their representations cannot draw any more.
  const double time = pqDSMSceneTime::get(this->Reader->getServer());
  proxy->UpdatePipeline(time);
  if (pqDSMRepresentation::kindOf(this->Reader) != kind)
  {
    pqDSMRepresentation::replace(this->Reader, time);
  }
  Q_EMIT this->changed();
}

// Brings the field of one of the reader's properties to the user.
void pqDSMContentsPage::goToProperty(const QString& name)
{
  auto* panel = pqCoreUtilities::mainWidget()->findChild<QWidget*>("propertiesPanel");
  if (!this->Reader || !panel)
  {
    return;
  }
  pqActiveObjects::instance().setActiveSource(this->Reader);
  for (auto* above = panel; above; above = above->parentWidget())
  {
    if (auto* dock = qobject_cast<QDockWidget*>(above))
    {
      dock->show();
      dock->raise();
    }
  }
  // The panel shows another source's properties after this.
  QTimer::singleShot(0, panel,
    [panel, name]
    {
      auto* field = panel->findChild<QWidget*>(name);
      for (auto* above = field ? field->parentWidget() : nullptr; above;
        above = above->parentWidget())
      {
        if (auto* area = qobject_cast<QScrollArea*>(above))
        {
          // Down, not sideways: the fields' names stay where they are.
          const int across = area->horizontalScrollBar()->value();
          area->ensureWidgetVisible(field);
          area->horizontalScrollBar()->setValue(across);
        }
      }
      if (auto* line = field ? field->findChild<QLineEdit*>() : nullptr)
      {
        line->setFocus();
      }
      else if (auto* box = field ? field->findChild<QComboBox*>() : nullptr)
      {
        box->setFocus();
      }
    });
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
  item->setToolTip(Name, pqDSMText::tip(path));
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
      item->setToolTip(Name, tr("%1\nCannot be loaded on its own").arg(this->Contents[index]));
    }
  }
  this->addOtherArrays(found);
  this->Filling = false;
  this->showCheckStates();
}

void pqDSMContentsPage::addOtherArrays(const QSet<Key>& found)
{
  const QString place = "/" + tr("(named in the description)");
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
  this->show(this->Reader, this->WithError);
  this->showCheckStates(); // the datasets of several blocks may be one array
  Q_EMIT this->changed();
}
