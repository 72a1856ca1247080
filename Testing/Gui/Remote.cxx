// SPDX-License-Identifier: BSD-3-Clause
// Preloaded into ParaView's window by the tests: a test connects to a local socket, and asks by
// lines of JSON for what a user does (with ParaView's own player), for what a user sees, and for
// pictures.
#include "Legible.h"
#include "Theme.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqEventPlayer.h>
#include <pqFileDialog.h>
#include <pqHelpReaction.h>
#include <pqLoadStateReaction.h>
#include <pqObjectNaming.h>
#include <pqServer.h>
#include <pqTestUtility.h>
#include <pqView.h>
#include <vtkPythonInterpreter.h>

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QKeyEvent>
#include <QLineEdit>
#include <QLocalServer>
#include <QLocalSocket>
#include <QMainWindow>
#include <QMenu>
#include <QPixmap>
#include <QScrollArea>
#include <QTabWidget>
#include <QTimer>
#include <QTreeWidget>
#include <QTreeWidgetItemIterator>

#include <algorithm>

namespace
{
// How long the window did not answer at all, pipelines and rendering included.
double LongestSilence = 0;

void WatchTheLoop()
{
  auto* beat = new QTimer(qApp);
  auto* clock = new QElapsedTimer;
  clock->start();
  QObject::connect(beat, &QTimer::timeout, qApp,
    [clock] { LongestSilence = std::max(LongestSilence, clock->restart() - 10.0); });
  beat->start(10);
}

QMainWindow* MainWindow()
{
  for (auto* widget : QApplication::topLevelWidgets())
  {
    if (auto* window = qobject_cast<QMainWindow*>(widget))
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

// "pqDSMPanel/start": each is somewhere below the one before. "activeView" is the picture, "window
// pqHelpWindow" another window that is open, by its class.
QWidget* Find(const QString& path)
{
  if (path == "activeView")
  {
    auto* view = pqActiveObjects::instance().activeView();
    return view ? view->widget() : nullptr;
  }
  QWidget* found = MainWindow();
  for (const auto& name : path.split('/', Qt::SkipEmptyParts))
  {
    const QString other = "window ";
    if (name.startsWith(other))
    {
      found = VisibleWindow(name.mid(other.size()));
      continue;
    }
    found = found ? found->findChild<QWidget*>(name) : nullptr;
  }
  return found;
}

QJsonArray Rows(QAbstractItemView* view)
{
  QJsonArray rows;
  auto* model = view->model();
  for (int row = 0; row < model->rowCount(); ++row)
  {
    QJsonArray cells;
    for (int column = 0; column < model->columnCount(); ++column)
    {
      const auto text = model->index(row, column).data(Qt::DisplayRole);
      const auto mark = model->index(row, column).data(Qt::CheckStateRole);
      cells.append(mark.isValid() ? QJsonValue(mark.toInt()) : QJsonValue::fromVariant(text));
    }
    rows.append(cells);
  }
  return rows;
}

// By what stands in the first column: rows move.
bool Click(QAbstractItemView* view, int first, int column)
{
  const auto found =
    view->model()->match(view->model()->index(0, 0), Qt::DisplayRole, first, 1, Qt::MatchExactly);
  if (found.empty())
  {
    return false;
  }
  const auto index = found.front().siblingAtColumn(column);
  view->scrollTo(index);
  const auto mark = index.data(Qt::CheckStateRole);
  if (mark.isValid())
  {
    view->model()->setData(
      index, mark.toInt() == Qt::Checked ? Qt::Unchecked : Qt::Checked, Qt::CheckStateRole);
  }
  view->setCurrentIndex(index);
  Q_EMIT view->clicked(index);
  return true;
}

// All items of a tree, by the names on the way to them.
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
  const auto mark = item ? item->data(0, Qt::CheckStateRole) : QVariant();
  cells.append(mark.isValid() ? QJsonValue(mark.toInt()) : QJsonValue());
  return item ? QJsonValue(cells) : QJsonValue();
}

// A menu's action, also one that opens a dialog and only then comes back.
bool Trigger(const QJsonObject& asked)
{
  const QString other = asked["window"].toString();
  const QWidget* place = other.isEmpty() ? MainWindow() : VisibleWindow(other);
  const QString name = asked["action"].toString();
  auto* action = place ? place->findChild<QAction*>(name) : nullptr;
  // Those that ParaView makes have texts only.
  auto* menu =
    asked.contains("menu") ? MainWindow()->findChild<QMenu*>(asked["menu"].toString()) : nullptr;
  if (menu)
  {
    // Filled when it opens.
    Q_EMIT menu->aboutToShow();
  }
  for (auto* each : menu ? menu->actions() : QList<QAction*>())
  {
    if (each->text().remove('&') == name)
    {
      action = each;
    }
  }
  if (action)
  {
    QTimer::singleShot(0, action, &QAction::trigger);
  }
  return action != nullptr;
}

// A file, in the file dialog that is open.
bool Choose(const QString& file)
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

QJsonObject Answer(const QJsonObject& asked)
{
  const QString what = asked["do"].toString();
  if (what == "trigger")
  {
    return { { "value", Trigger(asked) } };
  }
  if (what == "choose")
  {
    return { { "value", Choose(asked["file"].toString()) } };
  }
  if (what == "python")
  {
    return { { "value",
      vtkPythonInterpreter::RunSimpleString(qPrintable(asked["code"].toString())) } };
  }
  if (what == "help")
  {
    // As the question mark of a proxy in the Properties panel does.
    pqHelpReaction::showProxyHelp(asked["group"].toString(), asked["name"].toString());
    return { { "value", true } };
  }
  if (what == "silence")
  {
    const double longest = LongestSilence;
    LongestSilence = asked["again"].toBool() ? 0 : LongestSilence;
    return { { "value", longest } };
  }
  if (what == "dark")
  {
    Theme::Dark();
    return { { "value", true } };
  }
  if (what == "light")
  {
    Theme::Light();
    return { { "value", true } };
  }
  if (what == "loadState")
  {
    // As File > Load State does, without its questions.
    pqLoadStateReaction::loadState(
      asked["file"].toString(), true, pqActiveObjects::instance().activeServer());
    return { { "value", true } };
  }
  if (what == "saveState")
  {
    return { { "value", pqApplicationCore::instance()->saveState(asked["file"].toString()) } };
  }
  if (what == "quit")
  {
    QTimer::singleShot(0, qApp, [] { QApplication::exit(0); });
    return { { "value", true } };
  }
  auto* widget = Find(asked["object"].toString());
  if (!widget)
  {
    return { { "error", "there is no widget " + asked["object"].toString() } };
  }
  if (what == "play")
  {
    // ParaView puts the widget that a user touches into one for the property.
    if (asked["command"] == "set_string" && !qobject_cast<QComboBox*>(widget))
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
    if (asked["command"] == "set_boolean" && !qobject_cast<QAbstractButton*>(widget))
    {
      widget = widget->findChild<QAbstractButton*>();
    }
    bool error = false;
    pqApplicationCore::instance()->testUtility()->eventPlayer()->playEvent(
      pqObjectNaming::GetName(*widget), asked["command"].toString(), asked["arguments"].toString(),
      error);
    if (asked["command"] == "set_string" && qobject_cast<QLineEdit*>(widget))
    {
      QKeyEvent enter(QEvent::KeyPress, Qt::Key_Return, Qt::NoModifier);
      QApplication::sendEvent(widget, &enter);
    }
    // What follows from it comes before the next line, as it does for people.
    QApplication::processEvents(QEventLoop::ExcludeSocketNotifiers);
    return error ? QJsonObject{ { "error", "the player could not do it" } }
                 : QJsonObject{ { "value", true } };
  }
  if (what == "get")
  {
    const auto child = asked["child"].toString().toUtf8();
    for (auto* each : widget->findChildren<QWidget*>())
    {
      if (!child.isEmpty() && each->inherits(child.constData()))
      {
        widget = each;
        break;
      }
    }
    const auto value = widget->property(qPrintable(asked["property"].toString()));
    return value.isValid() ? QJsonObject{ { "value", QJsonValue::fromVariant(value) } }
                           : QJsonObject{ { "error", "no such property" } };
  }
  if (what == "set")
  {
    return { { "value",
      widget->setProperty(qPrintable(asked["property"].toString()), asked["value"].toVariant()) } };
  }
  if (what == "call")
  {
    return { { "value",
      QMetaObject::invokeMethod(widget, qPrintable(asked["method"].toString())) } };
  }
  if (what == "later")
  {
    // A button that opens a dialog and only then comes back.
    QTimer::singleShot(0, widget, [widget] { qobject_cast<QAbstractButton*>(widget)->click(); });
    return { { "value", true } };
  }
  if (what == "treeRow")
  {
    return { { "value",
      TreeRow(FindItem(qobject_cast<QTreeWidget*>(widget), asked["path"].toString())) } };
  }
  if (what == "tick")
  {
    auto* item = FindItem(qobject_cast<QTreeWidget*>(widget), asked["path"].toString());
    if (item)
    {
      item->setCheckState(0, asked["on"].toBool() ? Qt::Checked : Qt::Unchecked);
    }
    return { { "value", item != nullptr } };
  }
  if (what == "rows")
  {
    return { { "value", Rows(qobject_cast<QAbstractItemView*>(widget)) } };
  }
  if (what == "clickRow")
  {
    return { { "value",
      Click(qobject_cast<QAbstractItemView*>(widget), asked["row"].toInt(),
        asked["column"].toInt()) } };
  }
  if (what == "illegible")
  {
    return { { "value", QJsonArray::fromStringList(FindIllegible(widget)) } };
  }
  if (what == "scrollTo")
  {
    for (auto* above = widget->parentWidget(); above; above = above->parentWidget())
    {
      if (auto* area = qobject_cast<QScrollArea*>(above))
      {
        area->ensureWidgetVisible(widget);
      }
    }
    return { { "value", true } };
  }
  if (what == "tab")
  {
    auto* tabs = qobject_cast<QTabWidget*>(widget);
    for (int page = 0; page < tabs->count(); ++page)
    {
      if (tabs->tabText(page) == asked["name"].toString())
      {
        tabs->setCurrentIndex(page);
        return { { "value", true } };
      }
    }
    return { { "value", false } };
  }
  if (what == "size")
  {
    return { { "value", QJsonArray{ widget->width(), widget->height() } } };
  }
  if (what == "resize")
  {
    widget->resize(asked["width"].toInt(), asked["height"].toInt());
    return { { "value", true } };
  }
  if (what == "grab")
  {
    return { { "value", widget->grab().save(asked["file"].toString()) } };
  }
  return { { "error", "unknown request " + what } };
}

// Progress of pipelines lets sockets speak, but no user: what is asked meanwhile waits.
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
    const auto asked = QJsonDocument::fromJson(socket->readLine()).object();
    socket->write(QJsonDocument(Answer(asked)).toJson(QJsonDocument::Compact) + "\n");
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
  // Programs that ParaView starts are not our affair.
  qunsetenv("LD_PRELOAD");
  qunsetenv("DSM_GUI_SOCKET");
  auto* server = new QLocalServer(qApp);
  QObject::connect(server, &QLocalServer::newConnection, server,
    [server]
    {
      auto* socket = server->nextPendingConnection();
      QObject::connect(socket, &QLocalSocket::readyRead, socket, [socket] { Serve(socket); });
    });
  QTimer::singleShot(0, qApp, [] { WatchTheLoop(); });
  if (!server->listen(name))
  {
    qFatal("the test's socket %s: %s", qPrintable(name), qPrintable(server->errorString()));
  }
}
}

Q_COREAPP_STARTUP_FUNCTION(Begin)
