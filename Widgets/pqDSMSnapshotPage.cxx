// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotPage.h"

#include "pqDSMBlankPicture.h"
#include "pqDSMCheckBoxDelegate.h"
#include "pqDSMCompactHeader.h"
#include "pqDSMDropQuestion.h"
#include "pqDSMFileChoice.h"
#include "pqDSMFilterLine.h"
#include "pqDSMFollower.h"
#include "pqDSMNameDelegate.h"
#include "pqDSMReservedLabel.h"
#include "pqDSMRestoreButton.h"
#include "pqDSMServerProxy.h"
#include "pqDSMSnapshotCsv.h"
#include "pqDSMSnapshotFilter.h"
#include "pqDSMSnapshotModel.h"
#include "pqDSMSnapshotTable.h"
#include "pqDSMText.h"

#include <pqApplicationCore.h>
#include <pqSettings.h>

#include <QButtonGroup>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollBar>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <optional>

namespace
{
const char* const AutomaticKey = "DSM/ShowFirstSnapshot";
const char* const ColorRangeKey = "DSM/ColorRange";

constexpr int CountLines = 1;
constexpr int RetentionLines = 2;
}

pqDSMSnapshotPage::pqDSMSnapshotPage(
  pqDSMFollower* follower, pqDSMServerProxy* server, QWidget* parent)
  : Superclass(parent)
  , Follower(follower)
  , Server(server)
  , Snapshots(new pqDSMSnapshotModel(this))
  , Rows(new pqDSMSnapshotFilter(this))
  , Follow(new QRadioButton(this))
  , Hold(new QRadioButton(this))
  , Restore(new pqDSMRestoreButton(server, this))
  , Automatic(new QCheckBox(tr("Show Data When It First Arrives"), this))
  , List(new QStackedWidget(this))
  , Filter(new pqDSMFilterLine(this))
  , Table(new pqDSMSnapshotTable(this->List))
  , Empty(new QLabel(this->List))
  , Counts(new pqDSMReservedLabel(CountLines, this))
  , Retention(new pqDSMReservedLabel(RetentionLines, this))
  , Blank(new QWidget(this))
  , BlankText(new QLabel(this->Blank))
  , BlankButton(new QPushButton(this->Blank))
{
  this->setObjectName("snapshots");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  column->addWidget(this->makeChoice());

  this->Automatic->setObjectName("automatic");
  this->Automatic->setToolTip(pqDSMText::tip(
    tr("Add a reader to the Pipeline Browser and show its data when the first snapshot arrives. "
       "Otherwise, click a row of the list.")));
  this->Automatic->setChecked(
    pqApplicationCore::instance()->settings()->value(AutomaticKey, true).toBool());
  this->Follower->setAutomatic(this->Automatic->isChecked());
  QObject::connect(this->Automatic, &QCheckBox::toggled, this,
    [this](bool on)
    {
      this->Follower->setAutomatic(on);
      pqApplicationCore::instance()->settings()->setValue(AutomaticKey, on);
    });
  column->addWidget(this->Automatic);
  column->addWidget(this->makeColorRange());

  this->makeTable();
  this->Empty->setObjectName("snapshotsEmpty");
  this->Empty->setWordWrap(true);
  this->Empty->setAlignment(Qt::AlignTop);
  this->Empty->setMargin(4);
  this->List->addWidget(this->Empty);
  this->List->addWidget(this->Table);
  column->addWidget(this->Filter);
  column->addWidget(this->List, 1);

  column->addWidget(this->makeBlank());
  this->Counts->setObjectName("counts");
  column->addWidget(this->Counts);
  this->Retention->setObjectName("retention");
  column->addWidget(this->Retention);
}

QWidget* pqDSMSnapshotPage::makeChoice()
{
  auto* choice = new QWidget(this);
  choice->setObjectName("choice");
  auto* row = new QHBoxLayout(choice);
  row->setContentsMargins(0, 0, 0, 0);
  this->Follow->setObjectName("follow");
  this->Follow->setText(tr("Follow Newest"));
  this->Follow->setToolTip(pqDSMText::tip(
    tr("Show the newest snapshot; skip any that arrive faster than they can be drawn.")));
  this->Hold->setObjectName("hold");
  this->Hold->setText(tr("Pause View"));
  this->Hold->setToolTip(pqDSMText::tip(
    tr("Keep this picture, and its snapshot in memory, while the simulation continues. To view "
       "another snapshot, click its row or use ParaView's time controls.")));
  auto* group = new QButtonGroup(choice);
  for (auto* button : { this->Follow, this->Hold })
  {
    group->addButton(button);
    row->addWidget(button);
  }
  (this->Follower->following() ? this->Follow : this->Hold)->setChecked(true);
  row->addStretch(1);
  row->addWidget(this->Restore);
  QObject::connect(
    this->Follow, &QRadioButton::clicked, this, [this] { this->Follower->setFollowing(true); });
  QObject::connect(this->Hold, &QRadioButton::clicked, this,
    [this]
    {
      this->Follower->setFollowing(false);
      Q_EMIT this->picked(); // what is held is pinned at once: it may soon be gone
    });
  QObject::connect(this->Follower, &pqDSMFollower::followingChanged, this,
    [this](bool following) { (following ? this->Follow : this->Hold)->setChecked(true); });
  return choice;
}

// In ParaView's own words.
QWidget* pqDSMSnapshotPage::makeColorRange()
{
  auto* whole = new QWidget(this);
  whole->setObjectName("colorRangeRow");
  auto* row = new QHBoxLayout(whole);
  row->setContentsMargins(0, 0, 0, 0);
  auto* label = new QLabel(tr("Color range"), whole);
  auto* modes = new QComboBox(whole);
  modes->setObjectName("colorRange");
  modes->addItem(
    tr("Grow and update every timestep"), static_cast<int>(pqDSMColorRange::Mode::Grow));
  modes->addItem(
    tr("Clamp and update every timestep"), static_cast<int>(pqDSMColorRange::Mode::Clamp));
  modes->addItem(tr("Never"), static_cast<int>(pqDSMColorRange::Mode::Never));
  for (auto* widget : { static_cast<QWidget*>(label), static_cast<QWidget*>(modes) })
  {
    widget->setToolTip(
      pqDSMText::tip(tr("Sets how the range of a color map follows the snapshots. The color map "
                        "editor sets this for each color map.")));
  }
  label->setBuddy(modes);
  row->addWidget(label);
  row->addWidget(modes, 1);
  const int saved = pqApplicationCore::instance()->settings()->value(ColorRangeKey, 0).toInt();
  modes->setCurrentIndex(std::max(0, modes->findData(saved)));
  const auto take = [this, modes]
  {
    this->Follower->setColorRange(static_cast<pqDSMColorRange::Mode>(modes->currentData().toInt()));
  };
  take();
  QObject::connect(modes, &QComboBox::currentIndexChanged, this,
    [modes, take]
    {
      take();
      pqApplicationCore::instance()->settings()->setValue(ColorRangeKey, modes->currentData());
    });
  return whole;
}

QWidget* pqDSMSnapshotPage::makeBlank()
{
  auto* row = new QHBoxLayout(this->Blank);
  row->setContentsMargins(0, 0, 0, 0);
  this->Blank->setObjectName("blank");
  this->BlankText->setObjectName("blankText");
  this->BlankText->setWordWrap(true);
  this->BlankButton->setObjectName("blankButton");
  this->BlankButton->setToolTip(tr("Fix this."));
  row->addWidget(this->BlankText, 1);
  row->addWidget(this->BlankButton);
  this->Blank->hide();
  QObject::connect(this->BlankButton, &QPushButton::clicked, this,
    [this]
    {
      if (this->Mend)
      {
        this->Mend();
      }
      this->SinceBlank.invalidate();
      Q_EMIT this->picked();
    });
  return this->Blank;
}

// The line below the list. Not at each poll: it looks at all filters.
void pqDSMSnapshotPage::showBlank(const pqDSMStatus& status)
{
  constexpr int interval = 500; // ms
  if (this->SinceBlank.isValid() && this->SinceBlank.elapsed() < interval)
  {
    return;
  }
  this->SinceBlank.start();
  const QString note = status.running() ? this->Follower->note() : QString();
  const auto reason = note.isEmpty() && status.running() && !status.Snapshots.empty()
    ? pqDSMBlankPicture::find(*this->Follower)
    : std::nullopt;
  this->Mend = reason ? reason->mend : std::function<void()>();
  this->BlankText->setText(reason ? reason->Text : note);
  this->BlankButton->setText(reason ? reason->Button : QString());
  this->BlankButton->setVisible(reason.has_value());
  this->Blank->setVisible(reason.has_value() || !note.isEmpty());
}

void pqDSMSnapshotPage::makeTable()
{
  this->Table->setObjectName("table");
  this->Rows->setSourceModel(this->Snapshots);
  this->Table->setModel(this->Rows);
  QObject::connect(this->Filter, &pqDSMFilterLine::changed, this,
    [this](const pqDSMSnapshotFilter::Wanted& wanted)
    {
      this->Rows->setWanted(wanted);
      this->showGroups();
    });
  this->Table->setToolTip(pqDSMText::tip(
    tr("Click a row to show its snapshot; the row of the shown snapshot is bold. Shift and Ctrl "
       "select several rows. Right-click rows to save, pin or compare their snapshots; Space pins "
       "them, Delete drops them.")));
  this->Table->setItemDelegateForColumn(
    pqDSMSnapshotModel::File, new pqDSMNameDelegate(this->Table));
  this->Table->setContextMenuPolicy(Qt::CustomContextMenu);
  QObject::connect(
    this->Table, &QTreeView::customContextMenuRequested, this, &pqDSMSnapshotPage::openMenu);
  this->Table->setItemDelegate(new pqDSMCheckBoxDelegate(this->Table));
  auto* header = new pqDSMCompactHeader(this->Table);
  this->Table->setHeader(header);
  QObject::connect(
    this->Table->verticalScrollBar(), &QScrollBar::valueChanged, header, &pqDSMCompactHeader::fit);
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(pqDSMSnapshotModel::File, QHeaderView::Stretch);
  header->moveSection(pqDSMSnapshotModel::Time, pqDSMSnapshotModel::Step + 1);
  // At first, and after the third click on a title, in the model's order.
  header->setSortIndicatorClearable(true);
  header->setSortIndicator(-1, Qt::AscendingOrder);
  this->Table->setSortingEnabled(true);
  QObject::connect(this->Snapshots, &pqDSMSnapshotModel::pinRequested, this,
    [this](qint64 number, bool pinned)
    {
      const QVector<qint64> one{ number };
      Q_EMIT this->pinRequested(pinned ? one : QVector<qint64>(), pinned ? QVector<qint64>() : one);
    });
  QObject::connect(
    this->Table, &pqDSMSnapshotTable::pinPressed, this, &pqDSMSnapshotPage::togglePins);
  QObject::connect(this->Table, &pqDSMSnapshotTable::dropPressed, this,
    [this]
    {
      const auto snapshots = this->selected();
      if (!snapshots.empty())
      {
        (new pqDSMDropQuestion(snapshots, this->Server, this))->open();
      }
    });
  QObject::connect(this->Snapshots, &pqDSMSnapshotModel::wantedChanged, this,
    [this](const QString& stream, bool wanted)
    {
      this->Follower->setWanted(stream, wanted);
      Q_EMIT this->picked();
    });
  for (const bool open : { true, false })
  {
    QObject::connect(this->Table, open ? &QTreeView::expanded : &QTreeView::collapsed, this,
      [this, open](const QModelIndex& index)
      { this->Expanded[this->Snapshots->groupAt(this->Rows->mapToSource(index))] = open; });
  }
  QObject::connect(this->Table, &pqDSMSnapshotTable::wentTo, this,
    [this](const QModelIndex& index)
    {
      const qint64 number = this->Snapshots->numberAt(this->Rows->mapToSource(index));
      if (number && index.column() != pqDSMSnapshotModel::Pin)
      {
        this->pick(number);
      }
    });
}

// The snapshots of the rows that are selected.
QVector<pqDSMStatus::Snapshot> pqDSMSnapshotPage::selected() const
{
  auto rows = this->Table->selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end());
  QVector<pqDSMStatus::Snapshot> selected;
  for (const auto& row : rows)
  {
    if (const auto* snapshot = this->Snapshots->snapshotAt(this->Rows->mapToSource(row)))
    {
      selected.append(*snapshot);
    }
  }
  return selected;
}

void pqDSMSnapshotPage::openMenu(const QPoint& place)
{
  const auto row = this->Table->indexAt(place);
  const auto index = this->Rows->mapToSource(row);
  const auto onScreen = this->Table->viewport()->mapToGlobal(place);
  if (const auto* snapshot = this->Snapshots->snapshotAt(index))
  {
    // A row outside of the selection stands for itself.
    const bool isSelected = this->Table->selectionModel()->isSelected(row);
    const QVector<pqDSMStatus::Snapshot> one{ *snapshot };
    Q_EMIT this->menuRequested(isSelected ? this->selected() : one, onScreen);
  }
  else if (const auto* group = this->Snapshots->describedAt(index))
  {
    Q_EMIT this->groupMenuRequested(*group, onScreen);
  }
}

// Pins all that are selected, or unpins them if all are pinned.
void pqDSMSnapshotPage::togglePins()
{
  QVector<qint64> pinned;
  QVector<qint64> unpinned;
  for (const auto& snapshot : this->selected())
  {
    (snapshot.Pinned ? pinned : unpinned).append(snapshot.Number);
  }
  if (unpinned.empty())
  {
    Q_EMIT this->pinRequested({}, pinned);
  }
  else
  {
    Q_EMIT this->pinRequested(unpinned, {});
  }
}

void pqDSMSnapshotPage::exportTable()
{
  pqDSMFileChoice::open(nullptr, this,
    { "exportTable", tr("Export as Table"), QString(), pqFileDialog::AnyFile,
      tr("Comma-separated values (*.csv)") },
    this, [this](const QString& path)
    { this->Server->setRefusal(pqDSMSnapshotCsv::write(*this->Rows, path)); });
}

// Streams that are shown are open, unless the user has closed them.
void pqDSMSnapshotPage::showGroups()
{
  const auto chosen = this->Expanded;
  this->Table->setRootIsDecorated(this->Snapshots->isGrouped());
  for (const auto& index : this->Snapshots->groups())
  {
    const auto row = this->Rows->mapFromSource(index);
    if (row.isValid())
    {
      this->Table->setFirstColumnSpanned(row.row(), QModelIndex(), true);
      // Rows that fit the filter must be visible.
      this->Table->setExpanded(row,
        this->Rows->isActive() ||
          chosen.value(this->Snapshots->groupAt(index), this->Snapshots->isWanted(index)));
    }
  }
  this->Expanded = chosen;
}

void pqDSMSnapshotPage::pick(qint64 number)
{
  const QString stream = this->Snapshots->streamAt(this->Snapshots->indexOf(number));
  this->Server->poll(); // the list may be older than the ring
  this->Follower->pick(number, stream, this->Server->status());
  this->SinceBlank.invalidate();
  Q_EMIT this->picked();
}

// Invalid if it is not listed.
QModelIndex pqDSMSnapshotPage::rowOf(qint64 number) const
{
  return this->Rows->mapFromSource(this->Snapshots->indexOf(number));
}

bool pqDSMSnapshotPage::isInSight(qint64 number) const
{
  const auto index = this->rowOf(number);
  return index.isValid() &&
    this->Table->viewport()->rect().intersects(this->Table->visualRect(index));
}

void pqDSMSnapshotPage::show(const pqDSMStatus& status)
{
  // The list goes along with what is shown, unless the user has scrolled away from that.
  const qint64 shown = this->Follower->shown();
  const bool goAlong = shown != this->Shown || this->isInSight(shown);
  this->Shown = shown;
  this->Snapshots->show(this->Groups.of(status),
    [this](const QString& stream) { return this->Follower->isWanted(stream); });
  this->showGroups();
  this->Snapshots->setShown(this->Follower->allShown());
  this->Snapshots->setTimes(this->Follower->times());
  this->Table->setColumnHidden(pqDSMSnapshotModel::Time, !this->Snapshots->hasTimes());
  const auto current = this->rowOf(shown);
  if (goAlong && current.isValid() &&
    (!current.parent().isValid() || this->Table->isExpanded(current.parent())))
  {
    this->Table->scrollTo(current);
  }
  this->Filter->setVisible(!status.Snapshots.empty());
  this->List->setCurrentWidget(
    status.Snapshots.empty() ? static_cast<QWidget*>(this->Empty) : this->Table);
  this->Empty->setText(status.running()
      ? tr("No snapshots yet. Each HDF5 file that a simulation closes is listed here.")
      : tr("Click Start, then run a simulation with the command that appears below. Each HDF5 file "
           "that it closes is listed here."));
  this->Restore->showStatus(status);
  this->showBlank(status);
  this->Numbers.update(status, this->Follower->allShown());
  this->Counts->showText(this->Numbers.text());
  this->Retention->showText(pqDSMSnapshotCounts::retention(status));
}
