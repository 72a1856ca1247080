// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSendDialog.h"

#include "pqDSMArrayPicture.h"
#include "pqDSMMessageLabel.h"
#include "pqDSMServerProxy.h"
#include "pqDSMText.h"

#include <pqActiveObjects.h>
#include <pqApplicationCore.h>
#include <pqOutputPort.h>
#include <pqPipelineSource.h>
#include <pqServer.h>
#include <pqServerManagerModel.h>
#include <vtkDataObject.h>
#include <vtkPVArrayInformation.h>
#include <vtkPVDataInformation.h>
#include <vtkPVDataSetAttributesInformation.h>
#include <vtkSMProxy.h>

#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleValidator>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTimer>
#include <QVBoxLayout>

namespace
{
bool IsReader(const pqOutputPort* port)
{
  return QString(port->getSource()->getProxy()->GetXMLName()) == "DSMReader";
}

QComboBox* AddBox(
  QFormLayout* form, const QString& label, const char* name, const QString& tip, QWidget* parent)
{
  auto* box = new QComboBox(parent);
  box->setObjectName(name);
  box->setToolTip(pqDSMText::tip(tip));
  form->addRow(label, box);
  return box;
}

QString HowText(const QJsonObject& description)
{
  const QString how = description["How"].toString();
  return how == "points" ? pqDSMSendDialog::tr("The values are those of the source's points.")
    : how == "cells"     ? pqDSMSendDialog::tr("The values are those of the source's cells.")
    : how == "order"     ? pqDSMSendDialog::tr("The values are in the source's order.")
    : how == "grid cells"
    ? pqDSMSendDialog::tr("The values are resampled at the centres of the grid's cells.")
    : how == "bounds"
    ? pqDSMSendDialog::tr(
        "The values are resampled at points that are spread evenly over the grid's bounds.")
    : pqDSMSendDialog::tr("The values are resampled at the grid's points.");
}

QString OutsideText(const QJsonObject& description, const QString& value)
{
  const auto outside = description["Outside"].toInteger();
  return outside == 0
    ? QString()
    : pqDSMSendDialog::tr(" The source has no data at %1 of %2 places: they get %3.")
        .arg(outside)
        .arg(description["Elements"].toInteger())
        .arg(value);
}
}

pqDSMSendDialog::pqDSMSendDialog(pqDSMServerProxy* server, const QString& simulation,
  const pqDSMSteeringStatus::Parameter& parameter, QWidget* parent)
  : Superclass(parent)
  , Parameter(parameter)
  , Sampled(server->server(), server->proxy(), simulation, parameter.Name)
  , Soon(new QTimer(this))
{
  this->setObjectName("sendDialog");
  this->setAttribute(Qt::WA_DeleteOnClose);
  this->setWindowTitle(tr("Send %1 to %2").arg(parameter.Name, simulation));
  auto* column = new QVBoxLayout(this);
  auto* what = new QLabel(tr("%1 expects %2.").arg(parameter.Name, parameter.Shape), this);
  what->setTextFormat(Qt::PlainText);
  column->addWidget(what);
  auto* form = new QFormLayout;
  column->addLayout(form);
  this->Source = AddBox(form, tr("Source"), "source",
    tr("The data to send. Open a file to send what it contains."), this);
  this->Array = AddBox(form, tr("Array"), "array", tr("The array of these data"), this);
  this->Grid = AddBox(form, tr("Grid"), "grid",
    tr("If the source has other sizes than the simulation's array, its values are resampled at the "
       "points or cells of this grid if that has these sizes, or else evenly over its bounds."),
    this);
  this->Outside = new QLineEdit("0", this);
  this->Outside->setObjectName("outside");
  this->Outside->setValidator(new QDoubleValidator(this->Outside));
  this->Outside->setToolTip(tr("The value of places where the source has no data"));
  form->addRow(tr("Value Outside"), this->Outside);

  auto* pictures = new QHBoxLayout;
  column->addLayout(pictures);
  this->Values = new pqDSMArrayPicture(tr("To be sent"), this);
  this->Values->setObjectName("values");
  this->Difference = new pqDSMArrayPicture(tr("Difference to the array sent last"), this);
  this->Difference->setObjectName("difference");
  pictures->addWidget(this->Values);
  pictures->addWidget(this->Difference);
  pictures->addStretch(1);
  this->How = new QLabel(this);
  this->How->setObjectName("how");
  this->How->setWordWrap(true);
  column->addWidget(this->How);
  this->Message = new pqDSMMessageLabel(this);
  this->Message->setObjectName("message");
  column->addWidget(this->Message);
  column->addStretch(1);

  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  this->Send = buttons->addButton(tr("Send"), QDialogButtonBox::AcceptRole);
  this->Send->setObjectName("send");
  this->Send->setToolTip(tr("Send the values; they take effect at the next step."));
  buttons->button(QDialogButtonBox::Cancel)->setObjectName("cancel");
  column->addWidget(buttons);

  this->Soon->setSingleShot(true);
  this->Soon->setInterval(0);
  const auto soon = [this]
  {
    this->Send->setEnabled(false);
    this->Soon->start();
  };
  QObject::connect(this->Soon, &QTimer::timeout, this, &pqDSMSendDialog::showChoice);
  QObject::connect(this->Source, &QComboBox::currentIndexChanged, this,
    [this, soon]
    {
      this->addArrays();
      soon();
    });
  QObject::connect(this->Array, &QComboBox::currentIndexChanged, this, soon);
  QObject::connect(this->Grid, &QComboBox::currentIndexChanged, this, soon);
  QObject::connect(this->Outside, &QLineEdit::textChanged, this, soon);
  QObject::connect(buttons, &QDialogButtonBox::accepted, this, &pqDSMSendDialog::send);
  QObject::connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  this->addSources();
  soon();
}

bool pqDSMSendDialog::shown() const
{
  return !this->Soon->isActive();
}

void pqDSMSendDialog::addSources()
{
  auto* model = pqApplicationCore::instance()->getServerManagerModel();
  auto* active = pqActiveObjects::instance().activePort();
  int source = 0;
  int grid = -1;
  for (auto* each : model->findItems<pqPipelineSource*>(pqActiveObjects::instance().activeServer()))
  {
    for (int index = 0;
      each->modifiedState() != pqProxy::UNINITIALIZED && index < each->getNumberOfOutputPorts();
      ++index)
    {
      auto* port = each->getOutputPort(index);
      const int place = static_cast<int>(this->Ports.size());
      source = port == active ? place : source;
      grid = grid < 0 && IsReader(port) ? place : grid;
      this->Ports.push_back(port);
    }
  }
  // Not before the list is whole: the boxes' choices are places in it.
  for (const auto& port : this->Ports)
  {
    auto* owner = port->getSource();
    const QString name = owner->getNumberOfOutputPorts() == 1
      ? owner->getSMName()
      : QString("%1 (%2)").arg(owner->getSMName(), port->getPortName());
    this->Grid->addItem(name);
    this->Source->addItem(name);
  }
  this->Source->setCurrentIndex(this->Ports.empty() ? -1 : source);
  this->Grid->setCurrentIndex(grid < 0 ? this->Source->currentIndex() : grid);
  this->addArrays();
}

void pqDSMSendDialog::addArrays()
{
  this->Array->clear();
  const auto* port = this->port(this->Source);
  const auto* data = port ? port->getDataInformation() : nullptr;
  constexpr int points = vtkDataObject::POINT;
  constexpr int cells = vtkDataObject::CELL;
  for (const int association : { points, cells, static_cast<int>(vtkDataObject::ROW) })
  {
    auto* arrays = data ? data->GetAttributeInformation(association) : nullptr;
    for (int index = 0; arrays && index < arrays->GetNumberOfArrays(); ++index)
    {
      const QString name = arrays->GetArrayInformation(index)->GetName();
      this->Array->addItem(association == points ? tr("%1 (points)").arg(name)
          : association == cells                 ? tr("%1 (cells)").arg(name)
                                                 : tr("%1 (rows)").arg(name),
        QVariantList{ association, name });
      if (name == this->Parameter.Name)
      {
        this->Array->setCurrentIndex(this->Array->count() - 1);
      }
    }
  }
  if (data)
  {
    this->Array->addItem(tr("1 where the source has data"), QVariantList{ points, QString() });
  }
}

pqOutputPort* pqDSMSendDialog::port(const QComboBox* box) const
{
  return this->Ports.value(box->currentIndex());
}

pqDSMSampledArray::Choice pqDSMSendDialog::choice() const
{
  pqDSMSampledArray::Choice choice;
  const auto array = this->Array->currentData().toList();
  if (array.size() == 2)
  {
    choice.Source = this->port(this->Source);
    choice.Association = array[0].toInt();
    choice.Array = array[1].toString();
  }
  choice.Grid = this->port(this->Grid);
  choice.Outside = this->Outside->text().toDouble();
  return choice;
}

void pqDSMSendDialog::showChoice()
{
  const QString error = this->Sampled.sample(this->choice());
  this->Message->showMessage(error, true);
  this->Message->setVisible(!error.isEmpty());
  this->Send->setEnabled(error.isEmpty());
  const auto& description = this->Sampled.description();
  if (!error.isEmpty())
  {
    this->Values->showText({});
    this->Difference->showText({});
    this->How->clear();
    return;
  }
  this->How->setText(HowText(description) + OutsideText(description, this->Outside->text()));
  this->Values->showSummary(description["Values"].toObject());
  const auto difference = description["Difference"];
  difference.isObject() ? this->Difference->showSummary(difference.toObject())
                        : this->Difference->showText(description["NoDifference"].toString());
}

void pqDSMSendDialog::send()
{
  const QString error = this->Sampled.store();
  if (!error.isEmpty())
  {
    this->Message->showMessage(error, true);
    this->Message->show();
    return;
  }
  Q_EMIT this->stored(
    this->Sampled.stored(), pqDSMSampledArray::traced(this->Parameter.Name, this->choice()));
  this->accept();
}
