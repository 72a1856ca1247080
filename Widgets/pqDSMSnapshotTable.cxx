// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSnapshotTable.h"

#include <QItemSelectionModel>
#include <QKeyEvent>

namespace
{
// While a key is held down, only the last row is shown, since each picture takes time.
// Milliseconds.
constexpr int ArrivalPause = 100;
}

pqDSMSnapshotTable::pqDSMSnapshotTable(QWidget* parent)
  : Superclass(parent)
{
  this->setSelectionMode(QAbstractItemView::ExtendedSelection);
  this->setFocusPolicy(Qt::StrongFocus);
  this->setAllColumnsShowFocus(true);
  this->setAlternatingRowColors(true);
  this->setUniformRowHeights(true);
  this->setWordWrap(false);
  // Qt would scroll to the current row also when the one before was dropped.
  this->setAutoScroll(false);
  QObject::connect(this, &QTreeView::clicked, this,
    [this](const QModelIndex& index)
    {
      if (this->isAlone(index))
      {
        this->Arrival.stop();
        Q_EMIT this->wentTo(index);
      }
    });
  this->Arrival.setSingleShot(true);
  QObject::connect(&this->Arrival, &QTimer::timeout, this,
    [this]
    {
      const auto row = this->currentIndex().siblingAtColumn(0);
      if (this->isAlone(row))
      {
        Q_EMIT this->wentTo(row);
      }
    });
}

// Not one of several that are selected.
bool pqDSMSnapshotTable::isAlone(const QModelIndex& index) const
{
  const auto rows = this->selectionModel()->selectedRows();
  return index.isValid() && rows.size() == 1 && rows.first() == index.siblingAtColumn(0);
}

// A shortcut of the window does not get the keys of the list.
bool pqDSMSnapshotTable::event(QEvent* event)
{
  if (event->type() == QEvent::ShortcutOverride)
  {
    const auto* key = static_cast<QKeyEvent*>(event);
    if (key->modifiers() == Qt::NoModifier &&
      (key->key() == Qt::Key_Space || key->key() == Qt::Key_Delete))
    {
      event->accept();
      return true;
    }
  }
  return Superclass::event(event);
}

void pqDSMSnapshotTable::keyPressEvent(QKeyEvent* event)
{
  if (event->key() == Qt::Key_Space && event->modifiers() == Qt::NoModifier)
  {
    Q_EMIT this->pinPressed();
    return;
  }
  if (event->key() == Qt::Key_Delete && event->modifiers() == Qt::NoModifier)
  {
    Q_EMIT this->dropPressed();
    return;
  }
  const QPersistentModelIndex before = this->currentIndex();
  Superclass::keyPressEvent(event);
  if (this->currentIndex() != before)
  {
    this->scrollTo(this->currentIndex());
    this->Arrival.start(ArrivalPause);
  }
}
