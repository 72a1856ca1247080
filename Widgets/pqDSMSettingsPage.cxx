// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSettingsPage.h"

#include "pqDSMText.h"
#include "pqDSMTrace.h"

#include <pqApplicationCore.h>
#include <pqProxyWidget.h>
#include <pqSettings.h>
#include <vtkSMProperty.h>
#include <vtkSMPropertyHelper.h>
#include <vtkSMPropertyIterator.h>
#include <vtkSMProxy.h>
#include <vtkSMVectorProperty.h>
#include <vtkSmartPointer.h>

#include <QCheckBox>
#include <QLabel>
#include <QVBoxLayout>

#include <cstring>
#include <utility>
#include <vector>

namespace
{
const char* const AdvancedKey = "DSM/AdvancedSettings";

// Properties, each with a copy of its value.
using Copies =
  std::vector<std::pair<vtkSmartPointer<vtkSMProperty>, vtkSmartPointer<vtkSMProperty>>>;

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
  this->Note = new QLabel(page);
  this->Note->setObjectName("settingsNote");
  this->Note->setWordWrap(true);
  this->Column->addWidget(this->Note);
  this->Pending = new QLabel(page);
  this->Pending->setObjectName("settingsPending");
  this->Pending->setWordWrap(true);
  this->Pending->setTextFormat(Qt::PlainText);
  this->Pending->hide();
  this->Column->addWidget(this->Pending);
  auto* settings = pqApplicationCore::instance()->settings();
  this->Advanced = new QCheckBox(tr("Advanced settings"), page);
  this->Advanced->setObjectName("settingsAdvanced");
  this->Advanced->setToolTip(
    tr("Show also settings that seldom need a change: the order of blocks, and the transport of "
       "bytes between computers"));
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
  delete this->Widgets;
  this->Widgets = nullptr;
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

// A server that runs may refuse a setting: then the fields show the values in force again. Before
// Start a wrong value stays in its field, and Start reports the error.
void pqDSMSettingsPage::apply()
{
  if (!this->Proxy)
  {
    return;
  }
  const QStringList before = pqDSMTrace::settings(this->Proxy);
  const auto copies = this->Running ? CopySettings(this->Proxy) : Copies();
  this->Widgets->apply();
  if (!this->Running || pqDSMTrace::settings(this->Proxy) == before)
  {
    return;
  }
  this->Proxy->UpdatePropertyInformation(this->Proxy->GetProperty("CommandError"));
  const QString refusal =
    QString::fromUtf8(vtkSMPropertyHelper(this->Proxy, "CommandError").GetAsString());
  if (refusal.isEmpty())
  {
    pqDSMTrace::changed(this->Proxy, before);
  }
  else
  {
    for (const auto& [property, value] : copies)
    {
      property->Copy(value);
    }
    this->Proxy->UpdateVTKObjects();
  }
  Q_EMIT this->changed(refusal);
}

void pqDSMSettingsPage::show(const pqDSMStatus& status)
{
  this->Running = status.running();
  if (this->Running)
  {
    const QString transport = status.Transport == "auto" ? tr("automatic") : status.Transport;
    this->Note->setText(
      tr("New files: %1, blocks of %2, transport %3. All but the contact file can "
         "be changed now.")
        .arg(status.Strategy, pqDSMText::bytes(status.BlockSize), transport));
  }
  else
  {
    this->Note->setText(
      tr("Point at a setting to learn what it does. What is automatic needs no change."));
  }
  const QString& pending = status.PendingChanges;
  this->Pending->setText(pending.isEmpty() ? QString() : tr("Not in force yet: %1").arg(pending));
  this->Pending->setVisible(this->Running && !pending.isEmpty());
}
