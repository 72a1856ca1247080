// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMRestoreButton.h"

#include "pqDSMFileChoice.h"
#include "pqDSMIcons.h"
#include "pqDSMServerProxy.h"
#include "pqDSMStatus.h"
#include "pqDSMText.h"

#include <QFileInfo>
#include <QInputDialog>

pqDSMRestoreButton::pqDSMRestoreButton(pqDSMServerProxy* server, QWidget* parent)
  : Superclass(parent)
  , Server(server)
{
  this->setObjectName("restore");
  this->setIcon(pqDSMIcons::disk());
  this->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  this->setAutoRaise(true);
  QObject::connect(this, &QToolButton::clicked, this, &pqDSMRestoreButton::chooseFile);
}

void pqDSMRestoreButton::showStatus(const pqDSMStatus& status)
{
  const auto& file = status.Restored;
  const bool underway = status.running() && file.underway();
  this->setEnabled(status.running() && !underway);
  this->setText(!underway  ? tr("Load from Disk…")
      : file.FileSize == 0 ? tr("Waiting…")
                           : tr("%1 %").arg(100 * file.Bytes / file.FileSize));
  this->setToolTip(pqDSMText::tip(underway
      ? tr("Loading %1: %2 of %3")
          .arg(file.Path, pqDSMText::bytes(file.Bytes), pqDSMText::bytes(file.FileSize))
      : tr("Load a saved file as a snapshot, to view it or to restart a simulation from it.")));
}

void pqDSMRestoreButton::chooseFile()
{
  pqDSMFileChoice::open(this->Server->server(), this,
    { "restoreFile", tr("Load File into Memory"),
      this->Folder.isEmpty() ? QFileInfo(this->Server->status().ContactPath).path() : this->Folder,
      pqFileDialog::ExistingFile, tr("HDF5 files (*.h5 *.hdf5 *.hdf *.vtkhdf *.nc *.cgns)") },
    this, [this](const QString& path) { this->chooseName(path); });
}

void pqDSMRestoreButton::chooseName(const QString& path)
{
  this->Folder = QFileInfo(path).path();
  auto* dialog = new QInputDialog(this);
  dialog->setObjectName("restoreName");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Load File into Memory"));
  dialog->setLabelText(tr("File name that programs use to open it:"));
  dialog->setTextValue(path);
  dialog->resize(80 * this->fontMetrics().averageCharWidth(), dialog->sizeHint().height());
  QObject::connect(dialog, &QInputDialog::textValueSelected, this,
    [this, path](const QString& name) { this->Server->restore(path, name); });
  dialog->open();
}
