// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into ParaView's window by the tests. A test connects to a local socket and sends
// requests, each a line of JSON: to do what a user does (with ParaView's own event player), for
// what the widgets show, and for pictures.
#include "EventGaps.h"
#include "Legibility.h"
#include "Theme.h"
#include "VisibleTexts.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqEventPlayer.h>
#include <pqFileDialog.h>
#include <pqHelpReaction.h>
#include <pqLoadStateReaction.h>
#include <pqObjectBuilder.h>
#include <pqObjectNaming.h>
#include <pqServer.h>
#include <pqServerDisconnectReaction.h>
#include <pqServerResource.h>
#include <pqTestUtility.h>
#include <pqUndoStack.h>
#include <pqView.h>
#include <vtkNew.h>
#include <vtkPythonInterpreter.h>
#include <vtkSMParaViewPipelineController.h>
#include <vtkSMProxy.h>
#include <vtkSMSessionProxyManager.h>
#include <vtkSMTrace.h>
#include <vtkSmartPointer.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFile>
#include <QHeaderView>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocalServer>
#include <QLocalSocket>
#include <QMainWindow>
#include <QMap>
#include <QMenu>
#include <QPixmap>
#include <QPointer>
#include <QScrollArea>
#include <QStyledItemDelegate>
#include <QTabWidget>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <algorithm>
#include <functional>

namespace
{
EventGaps* Gaps = nullptr;

// As soon as there is ParaView's core.
void MeasureEventGaps()
{
  if (!pqApplicationCore::instance())
  {
    QTimer::singleShot(10, qApp, MeasureEventGaps);
    return;
  }
  Gaps = new EventGaps;
}

QMainWindow* MainWindow()
{
  for (auto* widget : QApplication::topLevelWidgets())
  {
    auto* window = qobject_cast<QMainWindow*>(widget);
    if (window && !window->inherits("pqPythonScriptEditor"))
    {
      return window;
    }
  }
  return nullptr;
}

QWidget* VisibleWindow(const QString& kind)
{
  for (auto* widget : QApplication::topLevelWidgets())
  {
    if (widget->isVisible() && widget->inherits(qPrintable(kind)))
    {
      return widget;
    }
  }
  return nullptr;
}

// By object names: "pqDSMPanel/start" is a "start" anywhere below a "pqDSMPanel". "activeView" is
// the active view's widget, "window pqHelpWindow" another open window, by its class.
QWidget* FindWidget(const QString& path)
{
  if (path == "activeView")
  {
    auto* view = pqActiveObjects::instance().activeView();
    return view ? view->widget() : nullptr;
  }
  QWidget* found = MainWindow();
  for (const auto& name : path.split('/', Qt::SkipEmptyParts))
  {
    const QString prefix = "window ";
    if (name.startsWith(prefix))
    {
      found = VisibleWindow(name.mid(prefix.size()));
      continue;
    }
    found = found ? found->findChild<QWidget*>(name) : nullptr;
  }
  return found;
}

QJsonArray Cells(const QAbstractItemModel* model, const QModelIndex& row)
{
  QJsonArray cells;
  for (int column = 0; column < model->columnCount(); ++column)
  {
    const auto text = row.siblingAtColumn(column).data(Qt::DisplayRole);
    const auto state = row.siblingAtColumn(column).data(Qt::CheckStateRole);
    cells.append(state.isValid() ? QJsonValue(state.toInt()) : QJsonValue::fromVariant(text));
  }
  return cells;
}

// Of a tree, the rows that have no others below them.
void AddRows(QJsonArray& rows, const QAbstractItemModel* model, const QModelIndex& parent)
{
  for (int row = 0; row < model->rowCount(parent); ++row)
  {
    const auto index = model->index(row, 0, parent);
    if (model->hasChildren(index))
    {
      AddRows(rows, model, index);
      continue;
    }
    rows.append(Cells(model, index));
  }
}

// The tips of a tree's rows, of their first column.
QJsonArray Tips(QTreeWidget* tree)
{
  QJsonArray tips;
  for (QTreeWidgetItemIterator row(tree); *row; ++row)
  {
    tips.append((*row)->toolTip(0));
  }
  return tips;
}

QJsonArray Rows(QAbstractItemView* view)
{
  QJsonArray rows;
  AddRows(rows, view->model(), {});
  return rows;
}

// Those that have others below them: the text, the check state (null: none), whether it is open,
// and the first cells of those below.
QJsonArray Groups(QTreeView* tree)
{
  QJsonArray groups;
  const auto* model = tree->model();
  for (int row = 0; row < model->rowCount(); ++row)
  {
    const auto index = model->index(row, 0);
    if (!model->hasChildren(index))
    {
      continue;
    }
    QJsonArray below;
    for (int child = 0; child < model->rowCount(index); ++child)
    {
      below.append(QJsonValue::fromVariant(model->index(child, 0, index).data()));
    }
    groups.append(QJsonArray{ index.data().toString(),
      QJsonValue::fromVariant(index.data(Qt::CheckStateRole)), tree->isExpanded(index), below });
  }
  return groups;
}

// A snapshot by its number, or a group by the beginning of its text, wherever they stand.
QModelIndex FindAnyRow(const QAbstractItemView* view, const QVariant& first, int column)
{
  const auto found = view->model()->match(view->model()->index(0, 0), Qt::DisplayRole,
    first.typeId() == QMetaType::QString ? first : QVariant(first.toLongLong()), 1,
    (first.typeId() == QMetaType::QString ? Qt::MatchStartsWith : Qt::MatchExactly) |
      Qt::MatchRecursive);
  return found.empty() ? QModelIndex() : found.front().siblingAtColumn(column);
}

// The row with this text or number in its first column: rows move.
bool ClickRow(QAbstractItemView* view, const QVariant& first, int column)
{
  const QPersistentModelIndex index = FindAnyRow(view, first, column);
  if (!index.isValid())
  {
    return false;
  }
  view->scrollTo(index);
  const auto state = index.data(Qt::CheckStateRole);
  if (state.isValid())
  {
    view->model()->setData(
      index, state.toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
  }
  if (!index.isValid())
  {
    return true; // what was unpinned has left the list
  }
  view->setCurrentIndex(index);
  Q_EMIT view->clicked(index);
  return true;
}

Qt::KeyboardModifiers Modifiers(const QJsonObject& request)
{
  const QString held = request["held"].toString();
  return held == "shift" ? Qt::ShiftModifier
    : held == "control"  ? Qt::ControlModifier
                         : Qt::NoModifier;
}

// Presses the mouse on a row and releases it, as a user does: with the focus that this gives.
bool MouseRow(QAbstractItemView* view, const QJsonObject& request)
{
  const auto index = FindAnyRow(view, request["row"].toVariant(), request["column"].toInt());
  if (!index.isValid())
  {
    return false;
  }
  view->scrollTo(index);
  QTest::mouseClick(
    view->viewport(), Qt::LeftButton, Modifiers(request), view->visualRect(index).center());
  return true;
}

// Clicks the title of a column, by which the rows are sorted.
bool MouseTitle(const QTreeView* tree, int column)
{
  auto* header = tree->header();
  const QPoint place(header->sectionViewportPosition(column) + header->sectionSize(column) / 2,
    header->height() / 2);
  QTest::mouseClick(header->viewport(), Qt::LeftButton, Qt::NoModifier, place);
  return true;
}

// The first cells of the rows that are selected, from top to bottom.
QJsonArray SelectedRows(const QAbstractItemView* view)
{
  auto selected = view->selectionModel()->selectedRows();
  std::sort(selected.begin(), selected.end());
  QJsonArray cells;
  for (const auto& row : selected)
  {
    cells.append(QJsonValue::fromVariant(row.data()));
  }
  return cells;
}

// Presses a key where the keyboard is.
bool PressKey(const QJsonObject& request)
{
  auto* widget = MainWindow()->focusWidget();
  if (!widget)
  {
    return false;
  }
  QTest::keyClick(widget, static_cast<Qt::Key>(request["key"].toInt()), Modifiers(request));
  return true;
}

// Counts what a list's model says has changed since the last call: how many rows were added,
// removed or changed, and how often all of them were.
QJsonArray ChangedRows(const QAbstractItemView* view)
{
  struct Counts : QObject
  {
    int Rows = 0;
    int Resets = 0;
  };
  static QPointer<Counts> counts;
  const QJsonArray found = counts ? QJsonArray{ counts->Rows, counts->Resets } : QJsonArray{ 0, 0 };
  delete counts;
  counts = new Counts;
  const auto* model = view->model();
  const auto add = [](const QModelIndex&, int first, int last)
  { counts->Rows += last - first + 1; };
  QObject::connect(model, &QAbstractItemModel::rowsInserted, counts, add);
  QObject::connect(model, &QAbstractItemModel::rowsRemoved, counts, add);
  QObject::connect(model, &QAbstractItemModel::dataChanged, counts,
    [](const QModelIndex& first, const QModelIndex& last)
    { counts->Rows += last.row() - first.row() + 1; });
  QObject::connect(model, &QAbstractItemModel::modelReset, counts, [] { ++counts->Resets; });
  QObject::connect(model, &QAbstractItemModel::layoutChanged, counts, [] { ++counts->Resets; });
  return found;
}

// The row with this number in its first column, as it is now.
QModelIndex FindRow(const QAbstractItemView* view, int first, int column)
{
  const auto found =
    view->model()->match(view->model()->index(0, 0), Qt::DisplayRole, first, 1, Qt::MatchExactly);
  return found.empty() ? QModelIndex() : found.front().siblingAtColumn(column);
}

bool IsInSight(const QAbstractItemView* view, int first)
{
  const auto index = FindRow(view, first, 0);
  return index.isValid() && view->viewport()->rect().contains(view->visualRect(index));
}

// What the view's delegate makes of a text.
QString DrawnText(const QAbstractItemView* view, const QModelIndex& index)
{
  struct Access : QStyledItemDelegate
  {
    using QStyledItemDelegate::initStyleOption;
  };
  const auto* delegate = qobject_cast<QStyledItemDelegate*>(view->itemDelegateForIndex(index));
  QStyleOptionViewItem option;
  option.initFrom(view);
  option.widget = view;
  option.rect = view->visualRect(index);
  if (delegate)
  {
    (delegate->*&Access::initStyleOption)(&option, index);
  }
  return option.text;
}

// A right click on a row, and a choice from the menu that opens: of menus in menus, one for each
// with '>' between them. The choice comes later, since it may open a dialog.
bool ChooseFromMenu(QAbstractItemView* view, const QVariant& first, const QString& choices)
{
  const auto index = FindAnyRow(view, first, 0);
  if (!index.isValid())
  {
    return false;
  }
  view->scrollTo(index);
  Q_EMIT view->customContextMenuRequested(view->visualRect(index).center());
  auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
  for (const auto& choice : choices.split(" > "))
  {
    const auto actions = menu ? menu->actions() : QList<QAction*>();
    const auto found = std::find_if(actions.begin(), actions.end(),
      [&](const QAction* action) { return action->text() == choice && action->isEnabled(); });
    if (found == actions.end())
    {
      return false;
    }
    menu->setActiveAction(*found);
    auto* next = (*found)->menu(); // when the last choice was made they are gone
    QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    QApplication::sendEvent(menu, &enter);
    menu = next;
  }
  return true;
}

// By the names of the item and of those above it: "VTKHDF/PointData/u".
QTreeWidgetItem* FindItem(QTreeWidget* tree, const QString& path)
{
  for (QTreeWidgetItemIterator each(tree); *each; ++each)
  {
    QString name = (*each)->text(0);
    for (auto* above = (*each)->parent(); above; above = above->parent())
    {
      name = above->text(0) + "/" + name;
    }
    if (name == path)
    {
      return *each;
    }
  }
  return nullptr;
}

QJsonValue TreeRow(QTreeWidgetItem* item)
{
  QJsonArray cells;
  for (int column = 1; item && column < item->columnCount(); ++column)
  {
    cells.append(item->text(column));
  }
  const auto state = item ? item->data(0, Qt::CheckStateRole) : QVariant();
  cells.append(state.isValid() ? QJsonValue(state.toInt()) : QJsonValue());
  return item ? QJsonValue(cells) : QJsonValue();
}

// While a pipeline runs, ParaView handles timers, but none of the user's events.
void TriggerWhenIdle(QAction* action)
{
  auto* server = pqActiveObjects::instance().activeServer();
  if (server && server->isProgressPending())
  {
    QTimer::singleShot(10, action, [action] { TriggerWhenIdle(action); });
    return;
  }
  action->trigger();
}

// A menu's action. Triggered later, since it may open a dialog, and returns only when that is
// closed.
bool Trigger(const QJsonObject& request)
{
  const QString window = request["window"].toString();
  const QWidget* place = window.isEmpty() ? MainWindow() : VisibleWindow(window);
  const QString name = request["action"].toString();
  auto* action = place ? place->findChild<QAction*>(name) : nullptr;
  // Those of the script editor neither.
  for (auto* each : !window.isEmpty() && place ? place->findChildren<QMenu*>() : QList<QMenu*>())
  {
    for (auto* one : each->actions())
    {
      action = !action && one->text().remove('&') == name ? one : action;
    }
  }
  // Actions that ParaView makes for docks have no object name, only a text.
  auto* menu = request.contains("menu")
    ? MainWindow()->findChild<QMenu*>(request["menu"].toString())
    : nullptr;
  if (menu)
  {
    // Which fills it.
    Q_EMIT menu->aboutToShow();
  }
  for (auto* each : menu ? menu->actions() : QList<QAction*>())
  {
    if (each->text().remove('&') == name)
    {
      action = each;
    }
  }
  // One of a filter is enabled when ParaView has looked at the data.
  const bool canBe = action && action->isEnabled();
  if (canBe)
  {
    QTimer::singleShot(0, action, [action] { TriggerWhenIdle(action); });
  }
  return canBe;
}

// Selects a file in the open file dialog, and accepts it later, since that may open another dialog.
// As File > Save State does for a .py, without its dialogs.
bool SavePythonState(const QString& name)
{
  auto* manager = pqActiveObjects::instance().activeServer()->proxyManager();
  const auto options =
    vtkSmartPointer<vtkSMProxy>::Take(manager->NewProxy("pythontracing", "PythonStateOptions"));
  vtkNew<vtkSMParaViewPipelineController> controller;
  controller->InitializeProxy(options);
  const std::string state = vtkSMTrace::GetState(options);
  QFile file(name);
  return !state.empty() && file.open(QIODevice::WriteOnly) &&
    file.write(state.data(), static_cast<qint64>(state.size())) > 0;
}

bool ChooseFile(const QString& file)
{
  for (auto* top : QApplication::topLevelWidgets())
  {
    auto* dialog = qobject_cast<pqFileDialog*>(top);
    if (dialog && dialog->isVisible())
    {
      dialog->selectFile(file);
      QTimer::singleShot(0, dialog, &QDialog::accept);
      return true;
    }
  }
  return false;
}

// A button of the dialog in front, by its text. Later, since it may open another one.
bool PressInDialog(const QString& text)
{
  auto* dialog = QApplication::activeModalWidget();
  for (auto* button : dialog ? dialog->findChildren<QAbstractButton*>() : QList<QAbstractButton*>())
  {
    if (button->isVisible() && button->isEnabled() && button->text().remove('&') == text)
    {
      QTimer::singleShot(0, button, &QAbstractButton::click);
      return true;
    }
  }
  return false;
}

bool Play(QWidget* widget, const QJsonObject& request)
{
  const QString command = request["command"].toString();
  // ParaView puts the widget that the user edits into one for the property.
  if (command == "set_string" && !qobject_cast<QComboBox*>(widget))
  {
    if (auto* line = widget->findChild<QLineEdit*>())
    {
      widget = line;
    }
    else if (auto* combo = widget->findChild<QComboBox*>())
    {
      widget = combo;
    }
  }
  if (command == "set_boolean" && !qobject_cast<QAbstractButton*>(widget))
  {
    widget = widget->findChild<QAbstractButton*>();
  }
  bool failed = false;
  pqApplicationCore::instance()->testUtility()->eventPlayer()->playEvent(
    pqObjectNaming::GetName(*widget), command, request["arguments"].toString(), failed);
  if (command == "set_string" && qobject_cast<QLineEdit*>(widget))
  {
    QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
    QApplication::sendEvent(widget, &enter);
  }
  // The consequences come before the next request, as they do for a user.
  QApplication::processEvents(QEventLoop::ExcludeSocketNotifiers);
  return !failed;
}

// Plays an event during the panel's next poll, when ParaView may handle events.
bool PlayInPoll(QWidget* widget, const QJsonObject& request)
{
  for (auto* top : QApplication::topLevelWidgets())
  {
    for (auto* child : top->findChildren<QObject*>())
    {
      if (child->inherits("pqDSMServerProxy"))
      {
        auto* once = new QAction(widget);
        QObject::connect(child, SIGNAL(statusChanged()), once, SLOT(trigger()));
        QObject::connect(once, &QAction::triggered, widget,
          [widget, once, request]
          {
            once->disconnect();
            once->deleteLater();
            Play(widget, request);
          });
        return true;
      }
    }
  }
  return false;
}

// The property of a widget, or of its first child of a class.
QVariant Property(const QWidget* widget, const QJsonObject& request)
{
  const auto child = request["child"].toString().toUtf8();
  const auto children = child.isEmpty() ? QList<QWidget*>() : widget->findChildren<QWidget*>();
  const auto found = std::find_if(children.begin(), children.end(),
    [&](const QWidget* each) { return each->inherits(child.constData()); });
  return (found == children.end() ? widget : *found)
    ->property(qPrintable(request["property"].toString()));
}

bool SelectTab(QTabWidget* tabs, const QString& name)
{
  for (int page = 0; page < tabs->count(); ++page)
  {
    if (tabs->tabText(page) == name)
    {
      tabs->setCurrentIndex(page);
      return true;
    }
  }
  return false;
}

bool SetCheckState(QTreeWidgetItem* item, bool checked)
{
  if (item)
  {
    item->setCheckState(0, checked ? Qt::Checked : Qt::Unchecked);
  }
  return item != nullptr;
}

void ScrollTo(QWidget* widget)
{
  for (auto* above = widget->parentWidget(); above; above = above->parentWidget())
  {
    if (auto* area = qobject_cast<QScrollArea*>(above))
    {
      area->ensureWidgetVisible(widget);
    }
  }
}

using Handlers = QMap<QString, std::function<QJsonValue(const QJsonObject&)>>;

// Requests to ParaView as a whole.
const Handlers& ApplicationHandlers()
{
  static const Handlers handlers = {
    { "trigger", [](const QJsonObject& request) { return Trigger(request); } },
    { "actionState",
      [](const QJsonObject& request)
      {
        const auto* action = MainWindow()->findChild<QAction*>(request["action"].toString());
        return action
          ? QJsonObject{ { "enabled", action->isEnabled() }, { "checked", action->isChecked() } }
          : QJsonObject();
      } },
    { "pressKey", [](const QJsonObject& request) { return PressKey(request); } },
    { "focus",
      [](const QJsonObject&)
      {
        const auto* widget = MainWindow()->focusWidget();
        return QJsonValue(widget ? widget->objectName() : QString());
      } },
    { "clipboard",
      [](const QJsonObject&) { return QJsonValue(QApplication::clipboard()->text()); } },
    { "choose", [](const QJsonObject& request) { return ChooseFile(request["file"].toString()); } },
    { "press",
      [](const QJsonObject& request) { return PressInDialog(request["text"].toString()); } },
    { "python", [](const QJsonObject& request)
      { return vtkPythonInterpreter::RunSimpleString(qPrintable(request["code"].toString())); } },
    // As Edit > Undo does. What it would undo; empty: nothing.
    { "undoLabel",
      [](const QJsonObject&)
      {
        auto* stack = pqApplicationCore::instance()->getUndoStack();
        return stack->canUndo() ? stack->undoLabel() : QString();
      } },
    { "undo",
      [](const QJsonObject&)
      {
        pqApplicationCore::instance()->getUndoStack()->undo();
        return true;
      } },
    { "help",
      [](const QJsonObject& request)
      {
        // As the question mark of a proxy in the Properties panel does.
        pqHelpReaction::showProxyHelp(request["group"].toString(), request["name"].toString());
        return true;
      } },
    { "helpPage",
      [](const QJsonObject& request)
      {
        pqHelpReaction::showHelp(request["page"].toString());
        return true;
      } },
    // The longest times that events were not handled since the last request: with and without
    // pipelines.
    { "eventGap",
      [](const QJsonObject&)
      {
        const auto longest = Gaps->take();
        return QJsonArray{ longest.All, longest.WithoutPipelines };
      } },
    { "dark",
      [](const QJsonObject&)
      {
        Theme::Dark();
        return true;
      } },
    { "light",
      [](const QJsonObject&)
      {
        Theme::Light();
        return true;
      } },
    { "loadState",
      [](const QJsonObject& request)
      {
        // As File > Load State does, without its dialogs.
        pqLoadStateReaction::loadState(
          request["file"].toString(), true, pqActiveObjects::instance().activeServer());
        return true;
      } },
    { "saveState",
      [](const QJsonObject& request)
      {
        const QString file = request["file"].toString();
        return file.endsWith(".py") ? SavePythonState(file)
                                    : pqApplicationCore::instance()->saveState(file);
      } },
    { "connect",
      [](const QJsonObject& request)
      {
        return pqApplicationCore::instance()->getObjectBuilder()->createServer(
                 pqServerResource(request["url"].toString())) != nullptr;
      } },
    // ParaView then makes a built-in server.
    { "disconnect",
      [](const QJsonObject&)
      {
        pqServerDisconnectReaction::disconnectFromServer();
        return true;
      } },
    // As Edit > Reset Session does.
    { "resetSession",
      [](const QJsonObject&)
      {
        auto* server = pqActiveObjects::instance().activeServer();
        return pqApplicationCore::instance()->getObjectBuilder()->resetServer(server) != nullptr;
      } },
    { "quit",
      [](const QJsonObject&)
      {
        QTimer::singleShot(0, qApp, [] { QApplication::exit(0); });
        return true;
      } },
  };
  return handlers;
}

using WidgetHandlers = QMap<QString, std::function<QJsonValue(QWidget*, const QJsonObject&)>>;

// Requests to the widget that "object" names. An undefined value is an error.
const WidgetHandlers& HandlersOfWidgets()
{
  static const WidgetHandlers handlers = {
    { "play", [](QWidget* widget, const QJsonObject& request)
      { return Play(widget, request) ? QJsonValue(true) : QJsonValue(QJsonValue::Undefined); } },
    { "playInPoll",
      [](QWidget* widget, const QJsonObject& request) { return PlayInPoll(widget, request); } },
    { "get",
      [](QWidget* widget, const QJsonObject& request)
      {
        const auto value = Property(widget, request);
        return value.isValid() ? QJsonValue::fromVariant(value) : QJsonValue(QJsonValue::Undefined);
      } },
    // The values of a property from now on, one after the other, also while the window is busy with
    // a later request: "recorded" returns them.
    { "record",
      [](QWidget* widget, const QJsonObject& request)
      {
        auto* timer = new QTimer(widget);
        timer->setObjectName("recorder");
        QObject::connect(timer, &QTimer::timeout, timer,
          [widget, timer, request]
          {
            auto values = timer->property("values").toList();
            const auto value = Property(widget, request);
            if (values.isEmpty() || values.last() != value)
            {
              timer->setProperty("values", values << value);
            }
          });
        timer->start(5);
        return true;
      } },
    { "recorded",
      [](QWidget* widget, const QJsonObject&)
      {
        auto* timer = widget->findChild<QTimer*>("recorder", Qt::FindDirectChildrenOnly);
        const auto values = QJsonValue::fromVariant(timer->property("values"));
        delete timer;
        return values;
      } },
    { "set",
      [](QWidget* widget, const QJsonObject& request)
      {
        return widget->setProperty(
          qPrintable(request["property"].toString()), request["value"].toVariant());
      } },
    { "call", [](QWidget* widget, const QJsonObject& request)
      { return QMetaObject::invokeMethod(widget, qPrintable(request["method"].toString())); } },
    // A button that opens a dialog, and returns only when that is closed.
    { "clickLater",
      [](QWidget* widget, const QJsonObject&)
      {
        QTimer::singleShot(
          0, widget, [widget] { qobject_cast<QAbstractButton*>(widget)->click(); });
        return true;
      } },
    // A window, which may ask something first.
    { "closeLater",
      [](QWidget* widget, const QJsonObject&)
      {
        QTimer::singleShot(0, widget, &QWidget::close);
        return true;
      } },
    { "treeRow",
      [](QWidget* widget, const QJsonObject& request)
      {
        return TreeRow(FindItem(qobject_cast<QTreeWidget*>(widget), request["path"].toString()));
      } },
    { "setCheckState",
      [](QWidget* widget, const QJsonObject& request)
      {
        return SetCheckState(
          FindItem(qobject_cast<QTreeWidget*>(widget), request["path"].toString()),
          request["checked"].toBool());
      } },
    { "rows", [](QWidget* widget, const QJsonObject&)
      { return Rows(qobject_cast<QAbstractItemView*>(widget)); } },
    { "tips", [](QWidget* widget, const QJsonObject&)
      { return Tips(qobject_cast<QTreeWidget*>(widget)); } },
    { "groups", [](QWidget* widget, const QJsonObject&)
      { return Groups(qobject_cast<QTreeView*>(widget)); } },
    { "clickRow",
      [](QWidget* widget, const QJsonObject& request)
      {
        return ClickRow(qobject_cast<QAbstractItemView*>(widget), request["row"].toVariant(),
          request["column"].toInt());
      } },
    { "mouseRow", [](QWidget* widget, const QJsonObject& request)
      { return MouseRow(qobject_cast<QAbstractItemView*>(widget), request); } },
    { "mouseTitle", [](QWidget* widget, const QJsonObject& request)
      { return MouseTitle(qobject_cast<QTreeView*>(widget), request["column"].toInt()); } },
    { "selectedRows", [](QWidget* widget, const QJsonObject&)
      { return SelectedRows(qobject_cast<QAbstractItemView*>(widget)); } },
    { "changedRows", [](QWidget* widget, const QJsonObject&)
      { return ChangedRows(qobject_cast<QAbstractItemView*>(widget)); } },
    { "inSight", [](QWidget* widget, const QJsonObject& request)
      { return IsInSight(qobject_cast<QAbstractItemView*>(widget), request["row"].toInt()); } },
    { "drawnText",
      [](QWidget* widget, const QJsonObject& request)
      {
        const auto* view = qobject_cast<QAbstractItemView*>(widget);
        return DrawnText(view, FindRow(view, request["row"].toInt(), request["column"].toInt()));
      } },
    { "chooseFromMenu",
      [](QWidget* widget, const QJsonObject& request)
      {
        return ChooseFromMenu(qobject_cast<QAbstractItemView*>(widget), request["row"].toVariant(),
          request["choice"].toString());
      } },
    { "problems", [](QWidget* widget, const QJsonObject&)
      { return QJsonArray::fromStringList(LegibilityProblems(widget)); } },
    { "texts", [](QWidget* widget, const QJsonObject&)
      { return QJsonArray::fromStringList(VisibleTexts(widget)); } },
    { "hasFocus",
      [](QWidget* widget, const QJsonObject&)
      {
        // Also in a window that is not the active one: there may be no window manager.
        return widget->isAncestorOf(MainWindow()->focusWidget());
      } },
    { "scrollTo",
      [](QWidget* widget, const QJsonObject&)
      {
        ScrollTo(widget);
        return true;
      } },
    { "tab", [](QWidget* widget, const QJsonObject& request)
      { return SelectTab(qobject_cast<QTabWidget*>(widget), request["name"].toString()); } },
    { "size", [](QWidget* widget, const QJsonObject&)
      { return QJsonArray{ widget->width(), widget->height() }; } },
    { "resize",
      [](QWidget* widget, const QJsonObject& request)
      {
        widget->resize(request["width"].toInt(), request["height"].toInt());
        return true;
      } },
    { "grab",
      [](QWidget* widget, const QJsonObject& request)
      {
        // Hardly compressed: that is several times faster.
        constexpr int quality = 80;
        return widget->grab().save(request["file"].toString(), "PNG", quality);
      } },
  };
  return handlers;
}

// {"value": …}, or {"error": …} when the request cannot be carried out.
QJsonObject Answer(const QJsonObject& request)
{
  const QString what = request["do"].toString();
  if (const auto handle = ApplicationHandlers().value(what))
  {
    return { { "value", handle(request) } };
  }
  const auto handle = HandlersOfWidgets().value(what);
  if (!handle)
  {
    return { { "error", "unknown request " + what } };
  }
  auto* widget = FindWidget(request["object"].toString());
  if (!widget)
  {
    return { { "error", "there is no widget " + request["object"].toString() } };
  }
  const auto value = handle(widget, request);
  return value.isUndefined() ? QJsonObject{ { "error", "the widget cannot do that" } }
                             : QJsonObject{ { "value", value } };
}

// While a pipeline runs, ParaView handles socket events, but none of the user's: requests wait.
void Serve(QLocalSocket* socket)
{
  auto* server = pqActiveObjects::instance().activeServer();
  if (server && server->isProgressPending())
  {
    QTimer::singleShot(10, socket, [socket] { Serve(socket); });
    return;
  }
  while (socket->canReadLine())
  {
    const auto request = QJsonDocument::fromJson(socket->readLine()).object();
    socket->write(QJsonDocument(Answer(request)).toJson(QJsonDocument::Compact) + "\n");
    socket->flush();
  }
}

void Begin()
{
  const QString name = qEnvironmentVariable("DSM_GUI_SOCKET");
  if (name.isEmpty())
  {
    return;
  }
  // Not for the programs that ParaView starts.
  qunsetenv("LD_PRELOAD");
  qunsetenv("DSM_GUI_SOCKET");
  auto* server = new QLocalServer(qApp);
  QObject::connect(server, &QLocalServer::newConnection, server,
    [server]
    {
      auto* socket = server->nextPendingConnection();
      QObject::connect(socket, &QLocalSocket::readyRead, socket, [socket] { Serve(socket); });
    });
  QTimer::singleShot(0, qApp, MeasureEventGaps);
  // Qt makes the socket's name before it listens there. The test connects as soon as it sees
  // `name`: the socket gets that name only now that it listens.
  const QString unheard = name + ".new";
  if (!server->listen(unheard) || !QFile::rename(unheard, name))
  {
    qFatal("the test's socket %s: %s", qPrintable(name), qPrintable(server->errorString()));
  }
}
}

Q_COREAPP_STARTUP_FUNCTION(Begin)
