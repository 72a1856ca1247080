// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMLaunchLine.h"

#include "pqDSMReservedLabel.h"
#include "pqDSMText.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileInfo>
#include <QGridLayout>
#include <QMenu>
#include <QRegularExpression>
#include <QTimer>
#include <QToolButton>

pqDSMLaunchLine::pqDSMLaunchLine(QWidget* caption, QWidget* parent)
  : Superclass(parent)
  , Line(new pqDSMReservedLabel(1, this))
  , Copy(new QToolButton(this))
  , Folder(new QToolButton(this))
{
  this->setFrameShape(QFrame::StyledPanel);
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(6, 4, 4, 4);
  grid->setColumnStretch(0, 1);
  grid->setVerticalSpacing(2);
  grid->addWidget(caption, 0, 0);
  this->Line->setObjectName("launchText");
  this->Copy->setObjectName("copy");
  this->Copy->setText(tr("Copy Command"));
  this->Copy->setToolTip(
    tr("Copy the command that launches a simulation. Use the arrow for a Slurm job script."));
  this->Copy->setPopupMode(QToolButton::MenuButtonPopup);
  auto* menu = new QMenu(this->Copy);
  menu->setObjectName("copyMenu");
  auto* line = menu->addAction(tr("Copy for a Terminal"));
  line->setObjectName("copyLine");
  auto* script = menu->addAction(tr("Copy as a Slurm Job Script"));
  script->setObjectName("copyScript");
  this->Copy->setMenu(menu);
  grid->addWidget(this->Copy, 0, 1, Qt::AlignTop);
  this->Folder->setObjectName("contactFolder");
  this->Folder->setText(tr("Folder…"));
  this->Folder->setToolTip(pqDSMText::tip(
    tr("Choose another folder for the contact file, on the machine of the ParaView server. The "
       "Settings tab has the name of the file.")));
  grid->addWidget(this->Folder, 0, 2, Qt::AlignTop);
  grid->addWidget(this->Line, 1, 0, 1, 3);
  QObject::connect(this->Folder, &QToolButton::clicked, this, &pqDSMLaunchLine::folderRequested);
  const auto copyLine = [this] { this->copy(this->Command); };
  QObject::connect(this->Copy, &QToolButton::clicked, this, copyLine);
  QObject::connect(line, &QAction::triggered, this, copyLine);
  QObject::connect(script, &QAction::triggered, this,
    [this] { this->copy(pqDSMLaunchLine::slurmScript(this->Command)); });
}

void pqDSMLaunchLine::copy(const QString& text)
{
  QApplication::clipboard()->setText(text);
  this->Copy->setText(tr("Copied"));
  QTimer::singleShot(1500, this->Copy, [copy = this->Copy] { copy->setText(tr("Copy Command")); });
}

void pqDSMLaunchLine::show(const QString& command, bool connected, const QString& place)
{
  this->Command = command;
  const bool choosing = command.isEmpty() && !place.isEmpty();
  this->Folder->setVisible(choosing);
  this->Copy->setVisible(!choosing);
  this->Copy->setEnabled(!command.isEmpty());
  const QFileInfo contact(place);
  const QString text = choosing
    ? tr("Contact file: %1 (created by Start; simulations use it to find ParaView)")
        .arg(pqDSMText::breakable(contact.filePath()))
    : command.isEmpty() ? tr("The launch command appears here after Start.")
    : connected         ? QString()
                        : pqDSMText::breakable(command);
  if (this->Line->text() != text)
  {
    this->Line->showText(text);
    this->Line->setVisible(!text.isEmpty());
    this->Line->setToolTip(pqDSMText::tip(choosing ? tr("Contact file:\n%1").arg(place)
        : command.isEmpty()
        ? text
        : tr("Run this in a terminal; replace the program and number of ranks with your own. "
             "dsm-run brings the files here; the program needs no change:\n\n%1")
            .arg(command)));
  }
}

QString pqDSMLaunchLine::slurmScript(const QString& command)
{
  QString line = command;
  static const QRegularExpression launcher("mpiexec -n \\d+");
  line.replace(launcher, "srun");
  return "#!/bin/bash\n"
         "#SBATCH --job-name=simulation\n"
         "#SBATCH --ntasks=4\n"
         "#SBATCH --time=01:00:00\n"
         "# The nodes of the job must be able to read the contact file.\n" +
    line + "\n";
}
