// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSettingsPage.h"

#include <pqProxyWidget.h>

#include <QLabel>
#include <QVBoxLayout>

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
  this->Column->addStretch(1);
  this->setWidget(page);
}

void pqDSMSettingsPage::setProxy(vtkSMProxy* proxy)
{
  delete this->Widgets;
  this->Widgets = nullptr;
  if (proxy)
  {
    auto* widgets = new pqProxyWidget(proxy, this->widget());
    widgets->setObjectName("proxyWidget");
    widgets->filterWidgets(true);
    widgets->updatePanel();
    // Settings apply when an edit is finished: there is nothing to undo with an Apply button.
    QObject::connect(widgets, &pqProxyWidget::changeFinished, widgets, &pqProxyWidget::apply);
    this->Column->insertWidget(1, widgets);
    this->Widgets = widgets;
  }
}

void pqDSMSettingsPage::show(bool running)
{
  this->Note->setText(running
      ? tr("All but the contact file can be changed now. Most counts from the next file on; a "
           "setting's tooltip says when.")
      : tr("A host is a process of ParaView's server that lends memory."));
}
