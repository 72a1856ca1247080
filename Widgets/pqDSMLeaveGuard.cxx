// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMLeaveGuard.h"

#include "pqDSMFileChoice.h"
#include "pqDSMIcons.h"
#include "pqDSMQuestion.h"
#include "pqDSMServerProxy.h"
#include "pqDSMSnapshotSaver.h"

#include <pqApplicationCore.h>
#include <pqCoreConfiguration.h>
#include <pqCoreUtilities.h>
#include <pqServer.h>
#include <vtkProcessModule.h>

#include <QAction>
#include <QEvent>
#include <QFileInfo>
#include <QPushButton>
#include <QTimer>

namespace
{
// Whether this reaction of ParaView's to an action ends the session.
bool EndsSession(const QAction* action, const QObject* reaction)
{
  return reaction->inherits("pqServerDisconnectReaction") ||
    (reaction->inherits("pqServerConnectReaction") &&
      !vtkProcessModule::GetProcessModule()->GetMultipleSessionsSupport()) ||
    // Edit > Reset Session.
    (reaction->inherits("pqDeleteReaction") && action->objectName() == "actionDelete_All");
}

// "Reset Session" of "&Reset Session..."
QString Words(QString text)
{
  return text.remove('&').remove("...").remove(QChar(0x2026));
}

QString Consequences(const pqDSMStatus& status, bool unsaved)
{
  if (status.SeparateHosts)
  {
    return pqDSMLeaveGuard::tr(
      "The snapshots are held outside ParaView. Keep them to reconnect later (they are freed after "
      "10 minutes without a connection), or discard them now.");
  }
  QStringList sentences;
  if (!status.Writers.isEmpty())
  {
    sentences << pqDSMLeaveGuard::tr("The simulation keeps running and writes to disk (unless "
                                     "--without-server says otherwise).");
  }
  if (unsaved)
  {
    sentences << pqDSMLeaveGuard::tr("Unsaved snapshots will be lost.");
  }
  sentences << pqDSMLeaveGuard::tr("To keep snapshots when ParaView closes, turn on \"Keep Data If "
                                   "ParaView Exits\" before Start.");
  return sentences.join("\n\n");
}
}

pqDSMLeaveGuard::pqDSMLeaveGuard(pqDSMServerProxy* server, QWidget* panel)
  : Superclass(panel)
  , Server(server)
  , Panel(panel)
{
}

void pqDSMLeaveGuard::stop()
{
  const auto stop = [this] { this->Server->stop(); };
  this->mustAsk() ? this->ask(tr("Stop Hosting"), stop) : stop();
}

void pqDSMLeaveGuard::watchWindow()
{
  this->Window = pqCoreUtilities::mainWidget();
  this->Window->installEventFilter(this);
  for (auto* action : this->Window->findChildren<QAction*>())
  {
    for (auto* reaction : action->children())
    {
      if (EndsSession(action, reaction))
      {
        this->watch(action, reaction);
      }
    }
  }
}

// Comes between the action and ParaView's reaction.
void pqDSMLeaveGuard::watch(QAction* action, QObject* reaction)
{
  if (!QObject::disconnect(action, SIGNAL(triggered(bool)), reaction, SLOT(onTriggered())))
  {
    return;
  }
  QObject::connect(action, &QAction::triggered, this,
    [this, action, reaction = QPointer<QObject>(reaction)]
    {
      const auto react = [reaction]
      {
        if (reaction)
        {
          QMetaObject::invokeMethod(reaction, "onTriggered");
        }
      };
      this->mustAsk() ? this->ask(Words(action->text()), react) : react();
    });
}

bool pqDSMLeaveGuard::eventFilter(QObject* watched, QEvent* event)
{
  if (event->type() != QEvent::Close || watched != this->Window || this->MayClose ||
    !this->mustAsk())
  {
    return Superclass::eventFilter(watched, event);
  }
  event->ignore();
  this->ask(tr("Close ParaView"),
    [this]
    {
      this->MayClose = true;
      pqApplicationCore::instance()->quit();
      this->MayClose = false;
    });
  return true;
}

bool pqDSMLeaveGuard::mustAsk() const
{
  const auto& status = this->Server->status();
  return status.running() && !status.Watched && status.State != "hosts lost" &&
    (!status.Writers.isEmpty() || !this->Server->unsaved().empty()) &&
    // ParaView's tests play back events, and nobody answers.
    !pqCoreConfiguration::instance()->exitApplicationWhenTestsDone();
}

void pqDSMLeaveGuard::ask(const QString& what, const std::function<void()>& goOn)
{
  // Who asks twice is asked about the second.
  delete this->Question;
  const auto& status = this->Server->status();
  const auto unsaved = this->Server->unsaved();
  auto* question = new pqDSMQuestion(
    "leaveQuestion", what, this->Server->stake().text(), tr("Cancel"), this->Panel);
  this->Question = question;
  question->setInformativeText(Consequences(status, !unsaved.empty()));
  const auto add = [&](const QString& text, const QString& name, const QString& tip,
                     QMessageBox::ButtonRole role, const auto& answer)
  {
    auto* button = question->addAnswer({ name, text, tip, role });
    // When the question has been closed: the answer may open another dialog.
    QObject::connect(
      button, &QPushButton::clicked, this, [this, answer] { QTimer::singleShot(0, this, answer); });
    return button;
  };
  if (status.SeparateHosts)
  {
    auto* keep = add(tr("Keep Snapshots"), "keep",
      tr("Keep the snapshots, to reconnect to them later."), QMessageBox::AcceptRole,
      [this, goOn]
      {
        this->Server->leave();
        goOn();
      });
    keep->setIcon(pqDSMIcons::memory());
  }
  if (!unsaved.empty())
  {
    auto* save = add(tr("Save Snapshots…"), "save",
      tr("Save all unsaved snapshots to a folder, then continue: %1.").arg(what),
      QMessageBox::ActionRole, [this, goOn] { this->saveAndLetGo(goOn); });
    save->setIcon(pqDSMIcons::disk());
  }
  add(status.SeparateHosts ? tr("Discard Snapshots") : what, "letGo",
    tr("Continue, and lose the unsaved snapshots."), QMessageBox::DestructiveRole,
    [this, goOn] { this->letGo(goOn); });
  question->open();
}

void pqDSMLeaveGuard::saveAndLetGo(const std::function<void()>& goOn)
{
  const auto unsaved = this->Server->unsaved();
  const QString folder = unsaved.empty() ? QString() : QFileInfo(unsaved.back().File).path();
  pqDSMFileChoice::open(this->Server->server(), this->Panel,
    { "saveFolder", tr("Choose a folder (existing files with the same names are overwritten)"),
      folder },
    this,
    [this, goOn](const QString& chosen)
    {
      auto* saver = new pqDSMSnapshotSaver(this->Server, this->Panel);
      QObject::connect(saver, &pqDSMSnapshotSaver::ended, this,
        [this, goOn](bool all)
        {
          if (all)
          {
            this->letGo(goOn);
          }
          else
          {
            this->Server->takeFiles(true);
          }
        });
      // Simulations write to disk from now on, so that no snapshot here has to go.
      this->Server->takeFiles(false);
      saver->save(this->Server->unsaved(), chosen);
    });
}

void pqDSMLeaveGuard::letGo(const std::function<void()>& goOn)
{
  // Processes of their own would go on when ParaView has gone.
  if (this->Server->status().SeparateHosts)
  {
    this->Server->stop();
  }
  goOn();
}
