// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSettingsPage.h"

#include "pqDSMBalloon.h"
#include "pqDSMQuestion.h"
#include "pqDSMReservedLabel.h"
#include "pqDSMSeparateChoice.h"
#include "pqDSMText.h"
#include "pqDSMTrace.h"

#include <pqApplicationCore.h>
#include <pqPropertyWidget.h>
#include <pqProxyWidget.h>
#include <pqSettings.h>
#include <pqUndoStack.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMPropertyIterator.h>
#include <vtkSMProxy.h>
#include <vtkSMUncheckedPropertyHelper.h>
#include <vtkSMVectorProperty.h>
#include <vtkSmartPointer.h>

#include <QCheckBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace
{
const char* const AdvancedKey = "DSM/AdvancedSettings";

// The place of each notice above the fields.
constexpr int NoticeLines = 2;

// Properties, each with a copy of its value.
using Copies =
  std::vector<std::pair<vtkSmartPointer<vtkSMProperty>, vtkSmartPointer<vtkSMProperty>>>;

QString TextOf(vtkSMProxy* proxy, const char* property)
{
  proxy->UpdatePropertyInformation(proxy->GetProperty(property));
  return QString::fromUtf8(vtkSMPropertyHelper(proxy, property).GetAsString());
}

// Returns the names of the settings that differ between two lists of "Name=value".
QStringList Changed(const QStringList& before, const QStringList& after)
{
  QStringList names;
  for (const QString& setting : after)
  {
    if (!before.contains(setting))
    {
      names << setting.section('=', 0, 0);
    }
  }
  return names;
}

Copies CopySettings(vtkSMProxy* proxy)
{
  Copies copies;
  const auto each = vtk::TakeSmartPointer(proxy->NewPropertyIterator());
  for (each->Begin(); !each->IsAtEnd(); each->Next())
  {
    auto* property = each->GetProperty();
    if (vtkSMVectorProperty::SafeDownCast(property) && !property->GetInformationOnly() &&
      std::strcmp(property->GetPanelVisibility(), "never") != 0)
    {
      copies.emplace_back(property, vtk::TakeSmartPointer(property->NewInstance()));
      copies.back().second->Copy(property);
    }
  }
  return copies;
}
}

pqDSMSettingsPage::pqDSMSettingsPage(QWidget* parent)
  : Superclass(parent)
{
  this->setObjectName("settingsScroll");
  this->setFrameShape(QFrame::NoFrame);
  this->setWidgetResizable(true);
  auto* page = new QWidget(this);
  page->setObjectName("settings");
  this->Column = new QVBoxLayout(page);
  this->Column->setContentsMargins(6, 6, 6, 6);
  this->Note = new pqDSMReservedLabel(NoticeLines, page);
  this->Note->setObjectName("settingsNote");
  this->Column->addWidget(this->Note);
  this->Pending = new pqDSMReservedLabel(NoticeLines, page);
  this->Pending->setObjectName("settingsPending");
  this->Column->addWidget(this->Pending);
  auto* settings = pqApplicationCore::instance()->settings();
  this->Advanced = new QCheckBox(tr("Advanced Settings"), page);
  this->Advanced->setObjectName("settingsAdvanced");
  this->Advanced->setToolTip(tr("Show rarely needed settings."));
  this->Advanced->setChecked(settings->value(AdvancedKey, false).toBool());
  QObject::connect(this->Advanced, &QCheckBox::toggled, this,
    [this, settings](bool on)
    {
      settings->setValue(AdvancedKey, on);
      if (this->Widgets)
      {
        this->Widgets->filterWidgets(on);
      }
    });
  this->Column->addWidget(this->Advanced);
  this->Column->addStretch(1);
  this->setWidget(page);
}

void pqDSMSettingsPage::setProxy(vtkSMProxy* proxy)
{
  this->ChangedInPoll = false;
  delete this->Question;
  delete this->Widgets;
  this->Widgets = nullptr;
  qDeleteAll(this->widget()->findChildren<pqDSMBalloon*>());
  this->Proxy = proxy;
  if (proxy)
  {
    auto* widgets = new pqProxyWidget(proxy, this->widget());
    widgets->setObjectName("proxyWidget");
    widgets->filterWidgets(this->Advanced->isChecked());
    widgets->updatePanel();
    // A setting is applied when its edit is finished; there is no Apply button.
    QObject::connect(widgets, &pqProxyWidget::changeFinished, this, &pqDSMSettingsPage::apply);
    this->Column->insertWidget(2, widgets);
    this->Widgets = widgets;
  }
}

void pqDSMSettingsPage::setPolling(bool polling)
{
  this->Polling = polling;
  if (!polling && std::exchange(this->ChangedInPoll, false))
  {
    this->apply();
  }
}

void pqDSMSettingsPage::apply()
{
  if (this->Polling)
  {
    this->ChangedInPoll = true;
    return;
  }
  const qsizetype count = this->Proxy && this->Running && !this->Question ? this->discarded() : 0;
  if (count > 0)
  {
    this->askToDiscard(count);
  }
  else if (!this->Question)
  {
    this->applyNow();
  }
}

// How many snapshots leave the memory if what is in the fields is applied.
qsizetype pqDSMSettingsPage::discarded() const
{
  const auto& snapshots = this->Status.Snapshots;
  const auto entered = [this](const char* property)
  { return vtkSMUncheckedPropertyHelper(this->Proxy, property).GetAsIdType(); };
  const auto isChanged = [&](const char* property)
  { return entered(property) != vtkSMPropertyHelper(this->Proxy, property).GetAsIdType(); };
  qsizetype count = 0;
  const qsizetype most = entered("MaximumSnapshots");
  if (isChanged("MaximumSnapshots") && most > 0)
  {
    // The server counts each of the files that a snapshot is in.
    for (qint64 files = this->Status.keptFiles(); files > most && count < snapshots.size(); ++count)
    {
      files -= snapshots[count].Files;
    }
  }
  const qint64 memory = (entered("MemoryPerHost") << 20) * this->Status.Hosts;
  if (isChanged("MemoryPerHost") && memory > 0)
  {
    qsizetype leaving = 0;
    for (qint64 used = this->Status.MemoryUsed; used > memory && leaving < snapshots.size();
      ++leaving)
    {
      used -= snapshots[leaving].FileSize;
    }
    count = std::max(count, leaving);
  }
  return count;
}

// Cancel brings back the values in force.
void pqDSMSettingsPage::askToDiscard(qsizetype count)
{
  auto* question = new pqDSMQuestion("discardQuestion", tr("Keep Fewer Snapshots"),
    count == 1 ? tr("This setting drops the oldest snapshot in memory.")
               : tr("This setting drops the oldest %1 of %2 snapshots in memory.")
                   .arg(count)
                   .arg(this->Status.Snapshots.size()),
    tr("Cancel"), this);
  this->Question = question;
  question->setInformativeText(tr("Unsaved snapshots will be lost."));
  auto* discard = question->addAnswer(
    { "discard", count == 1 ? tr("Drop 1 Snapshot") : tr("Drop %1 Snapshots").arg(count),
      tr("Apply. Shown and pinned snapshots are kept."), QMessageBox::DestructiveRole });
  QObject::connect(discard, &QPushButton::clicked, this, &pqDSMSettingsPage::applyNow);
  QObject::connect(question, &QDialog::rejected, this,
    [this]
    {
      if (this->Widgets)
      {
        this->Widgets->reset();
      }
    });
  question->open();
}

// A refusal stands beside its field until the next entry.
void pqDSMSettingsPage::applyNow()
{
  if (!this->Proxy)
  {
    return;
  }
  for (auto* message : this->widget()->findChildren<pqDSMBalloon*>())
  {
    message->showText({});
  }
  const auto refusals = this->change(
    [this]
    {
      this->Widgets->apply();
      pqDSMSeparateChoice::remember(this->Proxy);
    });
  if (!refusals)
  {
    return;
  }
  for (auto refusal = refusals->begin(); refusal != refusals->end(); ++refusal)
  {
    this->showRefusal(refusal.key(), refusal.value());
  }
  Q_EMIT this->changed({});
}

void pqDSMSettingsPage::showRefusal(const QString& setting, const QString& reason)
{
  const QString name = "rejection of " + setting;
  auto* message = this->widget()->findChild<pqDSMBalloon*>(name);
  auto* field = this->Widgets->findChild<pqPropertyWidget*>(setting);
  if (!message && field)
  {
    message = new pqDSMBalloon(field);
    message->setObjectName(name);
  }
  if (message)
  {
    message->showText(reason);
  }
}

// Restores all values if one is refused. Returns the refusals, by the settings' names; none if
// nothing was changed.
std::optional<QMap<QString, QString>> pqDSMSettingsPage::change(const std::function<void()>& push)
{
  const QStringList before = pqDSMTrace::settings(this->Proxy);
  const auto copies = CopySettings(this->Proxy);
  push();
  const QStringList after = pqDSMTrace::settings(this->Proxy);
  if (after == before)
  {
    return std::nullopt;
  }
  auto refusals = this->refusals(Changed(before, after));
  if (!refusals.isEmpty())
  {
    for (const auto& [property, value] : copies)
    {
      property->Copy(value);
    }
    this->Proxy->UpdateVTKObjects();
  }
  else if (this->Running)
  {
    pqDSMTrace::changed(this->Proxy, before);
  }
  return refusals;
}

// Returns why settings that were changed are refused: for their values or, if the server runs, for
// its state.
QMap<QString, QString> pqDSMSettingsPage::refusals(const QStringList& changed) const
{
  QMap<QString, QString> refusals;
  const auto wrong =
    QJsonDocument::fromJson(TextOf(this->Proxy, "RefusedSettings").toUtf8()).object();
  const QString error = this->Running ? TextOf(this->Proxy, "CommandError") : QString();
  for (const QString& setting : changed)
  {
    const QString reason = wrong[setting].toString(error);
    if (!reason.isEmpty())
    {
      refusals[setting] = reason;
    }
  }
  return refusals;
}

void pqDSMSettingsPage::showFlushes()
{
  if (this->Proxy)
  {
    BEGIN_UNDO_SET(tr("Show Files at Each Flush"));
    const auto refusals = this->change(
      [this]
      {
        vtkSMPropertyHelper(this->Proxy, "Publish").Set(1);
        this->Proxy->UpdateVTKObjects();
      });
    END_UNDO_SET();
    if (refusals)
    {
      Q_EMIT this->changed(refusals->value("Publish"));
    }
  }
}

void pqDSMSettingsPage::show(const pqDSMStatus& status)
{
  this->Running = status.running();
  this->Status = status;
  // The settings of a watched server belong to the program that started it.
  this->Advanced->setVisible(!status.Watched);
  if (this->Widgets)
  {
    this->Widgets->setVisible(!status.Watched);
  }
  if (status.Watched)
  {
    this->Note->showText(tr("Another program has started this server. Change its settings there."));
    this->Note->setToolTip({});
  }
  else if (this->Running)
  {
    const QString transport = status.Transport;
    this->Note->showText(
      tr("In use: %1, %2, %3 transport. Most settings can be changed while running.")
        .arg(status.Strategy,
          status.BlockSize > 0 ? tr("block size %1").arg(pqDSMText::bytes(status.BlockSize))
                               : tr("automatic block size"),
          transport));
    this->Note->setToolTip(pqDSMText::tip(status.Transports.join('\n')));
  }
  else
  {
    this->Note->showText(
      tr("Hover over a setting for help. Automatic settings rarely need changing."));
  }
  const QString& pending = status.PendingChanges;
  this->Pending->showText(
    this->Running && !pending.isEmpty() ? tr("Pending: %1").arg(pending) : QString());
}
