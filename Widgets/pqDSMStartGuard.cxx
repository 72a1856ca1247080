// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMStartGuard.h"

#include "pqDSMFileChoice.h"
#include "pqDSMFoundServer.h"
#include "pqDSMQuestion.h"
#include "pqDSMServerProxy.h"
#include "pqDSMText.h"

#include <pqCoreConfiguration.h>

#include <QFileInfo>
#include <QPushButton>
#include <QTimer>

namespace
{
QString Remedies(const pqDSMFoundServer& found)
{
  if (!found.IsAttachable)
  {
    return pqDSMStartGuard::tr(
      "It is part of another program, so ParaView cannot reconnect to it. Watch it, choose another "
      "contact file, or stop the server in that program.");
  }
  const qint64 lost = found.Stake.Unsaved;
  return pqDSMStartGuard::tr(
    "Reconnect to it, watch it, choose another contact file, or stop it (%1).")
    .arg(lost == 0  ? pqDSMStartGuard::tr("it has no unsaved snapshots")
        : lost == 1 ? pqDSMStartGuard::tr("its unsaved snapshot will be lost")
                    : pqDSMStartGuard::tr("its %1 unsaved snapshots will be lost").arg(lost));
}
}

pqDSMStartGuard::pqDSMStartGuard(pqDSMServerProxy* server, QWidget* panel)
  : Superclass(panel)
  , Server(server)
  , Panel(panel)
{
}

void pqDSMStartGuard::start()
{
  const auto found = this->Server->find();
  if (!found || (found->IsAttachable && this->Server->separate()) ||
    // ParaView's tests play back events, and nobody answers.
    pqCoreConfiguration::instance()->exitApplicationWhenTestsDone())
  {
    this->Server->start();
  }
  else
  {
    this->ask(*found);
  }
}

void pqDSMStartGuard::ask(const pqDSMFoundServer& found)
{
  // Only the newest question counts.
  delete this->Question;
  const QString facts = tr("A server is already running with %1.").arg(found.Contact);
  auto* question = new pqDSMQuestion("startQuestion", tr("Server Already Running"),
    (facts + "\n" + found.Stake.text()).trimmed(), tr("Cancel"), this->Panel);
  this->Question = question;
  question->setInformativeText(Remedies(found));
  const auto add = [&](const pqDSMQuestion::Answer& answer, const auto& act)
  {
    auto* button = question->addAnswer(answer);
    // When the question has been closed: the answer may open another dialog.
    QObject::connect(
      button, &QPushButton::clicked, this, [this, act] { QTimer::singleShot(0, this, act); });
    return button;
  };
  if (found.IsAttachable)
  {
    question->setDefaultButton(
      add({ "reconnect", tr("Reconnect"), tr("Reconnect to the server, and show its snapshots."),
            QMessageBox::AcceptRole },
        [this] { this->Server->reconnect(); }));
  }
  auto* watch = add({ "watch", tr("Watch"),
                      pqDSMText::tip(tr("Show its snapshots here as well, and leave it to the "
                                        "program that started it.")),
                      QMessageBox::AcceptRole },
    [this, contact = found.Contact] { this->Server->watchServer(contact); });
  if (!found.IsAttachable)
  {
    question->setDefaultButton(watch);
  }
  add({ "other", tr("Choose Another File…"),
        tr("Choose another contact file, then start. The running server continues."),
        QMessageBox::ActionRole },
    [this, contact = found.Contact] { this->chooseFile(contact); });
  if (found.IsAttachable)
  {
    add({ "discard", tr("Stop and Discard"),
          pqDSMText::tip(tr("Stop the running server, lose its unsaved snapshots, then start. "
                            "Running simulations continue on disk.")),
          QMessageBox::DestructiveRole },
      [this] { this->stopAndStart(); });
  }
  question->open();
}

void pqDSMStartGuard::chooseFile(const QString& present)
{
  pqDSMFileChoice::open(this->Server->server(), this->Panel,
    { "contactFileDialog", tr("Choose another contact file"), QFileInfo(present).path(),
      pqFileDialog::AnyFile, tr("Contact files (*.dsm)") },
    this,
    [this](const QString& file)
    {
      this->Server->setContactFile(file);
      this->start();
    });
}

void pqDSMStartGuard::stopAndStart()
{
  if (this->Server->stopFound())
  {
    this->Server->start();
  }
}
