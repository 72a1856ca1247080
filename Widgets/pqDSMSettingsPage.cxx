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

// Properties, each with a copy of itself.
using Held = std::vector<std::pair<vtkSmartPointer<vtkSMProperty>, vtkSmartPointer<vtkSMProperty>>>;

Held Settings(vtkSMProxy* proxy)
{
  Held held;
  const auto each = vtk::TakeSmartPointer(proxy->NewPropertyIterator());
  for (each->Begin(); !each->IsAtEnd(); each->Next())
  {
    auto* property = each->GetProperty();
    if (vtkSMVectorProperty::SafeDownCast(property) && !property->GetInformationOnly() &&
      std::strcmp(property->GetPanelVisibility(), "never") != 0)
    {
      held.emplace_back(property, vtk::TakeSmartPointer(property->NewInstance()));
      held.back().second->Copy(property);
    }
  }
  return held;
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
    tr("Show also what seldom needs a change: how blocks are dealt, and by which way bytes travel "
       "between computers"));
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
    // Settings apply when an edit is finished: there is nothing to undo with an Apply button.
    QObject::connect(widgets, &pqProxyWidget::changeFinished, this, &pqDSMSettingsPage::apply);
    this->Column->insertWidget(2, widgets);
    this->Widgets = widgets;
  }
}

// While the server runs it may refuse: then what it goes on by stands in the fields again. Before
// Start, which says what is wrong, whatever was entered waits to be mended.
void pqDSMSettingsPage::apply()
{
  if (!this->Proxy)
  {
    return;
  }
  const QStringList before = pqDSMTrace::settings(this->Proxy);
  const auto held = this->Running ? Settings(this->Proxy) : Held();
  this->Widgets->apply();
  if (!this->Running || pqDSMTrace::settings(this->Proxy) == before)
  {
    return;
  }
  this->Proxy->UpdatePropertyInformation(this->Proxy->GetProperty("CommandError"));
  const QString why =
    QString::fromUtf8(vtkSMPropertyHelper(this->Proxy, "CommandError").GetAsString());
  if (why.isEmpty())
  {
    pqDSMTrace::changed(this->Proxy, before);
  }
  else
  {
    for (const auto& [property, value] : held)
    {
      property->Copy(value);
    }
    this->Proxy->UpdateVTKObjects();
  }
  Q_EMIT this->changed(why);
}

void pqDSMSettingsPage::show(bool running)
{
  this->Running = running;
  QString pending;
  if (running && this->Proxy)
  {
    // The panel has just asked for all that the server tells.
    const auto text = [this](const char* name)
    { return QString::fromUtf8(vtkSMPropertyHelper(this->Proxy, name).GetAsString()); };
    const auto size = [this](const char* name)
    { return pqDSMText::bytes(vtkSMPropertyHelper(this->Proxy, name).GetAsIdType()); };
    pending = text("PendingChanges");
    QString transport = text("EffectiveTransport");
    if (transport == "auto")
    {
      transport = tr("automatic");
    }
    this->Note->setText(
      tr("New files: %1, blocks of %2, transport %3. All but the contact file can "
         "be changed now.")
        .arg(text("EffectiveStrategy"), size("EffectiveBlockSize"), transport));
  }
  else
  {
    this->Note->setText(
      tr("Point at a setting to learn what it does. What is automatic needs no change."));
  }
  this->Pending->setText(pending.isEmpty() ? QString() : tr("Not in force yet: %1").arg(pending));
  this->Pending->setVisible(!pending.isEmpty());
}
