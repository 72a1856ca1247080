// SPDX-License-Identifier: BSD-3-Clause
#include "VisibleTexts.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QTabBar>
#include <QTextDocumentFragment>
#include <QTextEdit>

namespace
{
// Items of a list, table or tree, whether or not their rows are scrolled into sight.
void AddItems(const QAbstractItemModel* model, const QModelIndex& parent, QStringList& texts)
{
  for (int row = 0; row < model->rowCount(parent); ++row)
  {
    for (int column = 0; column < model->columnCount(parent); ++column)
    {
      texts << model->index(row, column, parent).data(Qt::DisplayRole).toString();
    }
    AddItems(model, model->index(row, 0, parent), texts);
  }
}

void AddTexts(const QWidget* widget, QStringList& texts)
{
  if (const auto* label = qobject_cast<const QLabel*>(widget))
  {
    texts << (Qt::mightBeRichText(label->text())
        ? QTextDocumentFragment::fromHtml(label->text()).toPlainText()
        : label->text());
  }
  else if (const auto* view = qobject_cast<const QAbstractItemView*>(widget))
  {
    if (!qobject_cast<const QHeaderView*>(view) && view->model())
    {
      AddItems(view->model(), view->rootIndex(), texts);
    }
  }
  else if (const auto* bar = qobject_cast<const QTabBar*>(widget))
  {
    for (int tab = 0; tab < bar->count(); ++tab)
    {
      texts << bar->tabText(tab);
    }
  }
  else if (const auto* edit = qobject_cast<const QTextEdit*>(widget))
  {
    texts << edit->toPlainText();
  }
  else if (const auto* plainEdit = qobject_cast<const QPlainTextEdit*>(widget))
  {
    texts << plainEdit->toPlainText();
  }
  else if (qobject_cast<const QDockWidget*>(widget))
  {
    texts << widget->windowTitle();
  }
  else if (qobject_cast<const QComboBox*>(widget))
  {
    texts << widget->property("currentText").toString();
  }
  else if (qobject_cast<const QAbstractButton*>(widget) || qobject_cast<const QLineEdit*>(widget) ||
    qobject_cast<const QAbstractSpinBox*>(widget) || qobject_cast<const QProgressBar*>(widget))
  {
    texts << widget->property("text").toString();
  }
}
}

QStringList VisibleTexts(const QWidget* root)
{
  QStringList texts;
  for (const auto* widget : root->findChildren<QWidget*>())
  {
    if (widget->isVisible() && !widget->visibleRegion().isEmpty())
    {
      AddTexts(widget, texts);
    }
  }
  texts.removeAll(QString());
  texts.removeDuplicates();
  return texts;
}
