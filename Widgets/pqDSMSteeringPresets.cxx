// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringPresets.h"

#include "pqDSMText.h"

#include <pqApplicationCore.h>
#include <pqSettings.h>

#include <QInputDialog>
#include <QJsonDocument>
#include <QMenu>

namespace
{
const char* const Key = "DSM/SteeringPresets";

// Returns the presets of all simulations: by the simulation's name, then by the preset's.
QJsonObject All()
{
  const auto text = pqApplicationCore::instance()->settings()->value(Key).toByteArray();
  return QJsonDocument::fromJson(text).object();
}

void Write(const QString& simulation, const QJsonObject& presets)
{
  auto all = All();
  all[simulation] = presets;
  pqApplicationCore::instance()->settings()->setValue(
    Key, QJsonDocument(all).toJson(QJsonDocument::Compact));
}
}

pqDSMSteeringPresets::pqDSMSteeringPresets(QWidget* parent)
  : Superclass(parent)
{
  this->setObjectName("steeringPresets");
  this->setText(tr("Presets"));
  this->setToolTip(pqDSMText::tip(
    tr("Enter values that you have saved for this simulation, or save the current ones.")));
  this->setPopupMode(QToolButton::InstantPopup);
  auto* menu = new QMenu(this);
  menu->setObjectName("presetMenu");
  this->setMenu(menu);
  QObject::connect(menu, &QMenu::aboutToShow, this, &pqDSMSteeringPresets::fill);
}

void pqDSMSteeringPresets::show(
  const pqDSMSteeringStatus::Simulation& simulation, const QJsonObject& edited)
{
  this->Simulation = simulation.Name;
  this->Values = {};
  for (const auto& parameter : simulation.Parameters)
  {
    const QString& name = parameter.Name;
    if (parameter.Type != "array" && simulation.Values.contains(name))
    {
      this->Values[name] = edited.contains(name) ? edited[name] : simulation.Values[name];
    }
  }
}

void pqDSMSteeringPresets::fill()
{
  auto* menu = this->menu();
  menu->clear();
  const auto presets = All()[this->Simulation].toObject();
  auto* removal = new QMenu(tr("Delete"), menu);
  for (const QString& name : presets.keys())
  {
    auto* action = menu->addAction(name);
    action->setObjectName("preset " + name);
    QObject::connect(action, &QAction::triggered, this,
      [this, values = presets[name].toObject()]
      {
        QJsonObject known;
        for (auto each = values.begin(); each != values.end(); ++each)
        {
          if (this->Values.contains(each.key()))
          {
            known[each.key()] = each.value();
          }
        }
        Q_EMIT this->chosen(known);
      });
    auto* remove = removal->addAction(name);
    remove->setObjectName("delete " + name);
    QObject::connect(remove, &QAction::triggered, this,
      [this, name]
      {
        auto left = All()[this->Simulation].toObject();
        left.remove(name);
        Write(this->Simulation, left);
      });
  }
  menu->addSeparator();
  auto* add = menu->addAction(tr("Save Values…"));
  add->setObjectName("presetSave");
  QObject::connect(add, &QAction::triggered, this, &pqDSMSteeringPresets::askForName);
  removal->setEnabled(!presets.isEmpty());
  menu->addMenu(removal);
}

void pqDSMSteeringPresets::askForName()
{
  auto* dialog = new QInputDialog(this);
  dialog->setObjectName("presetName");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("Save Values"));
  dialog->setLabelText(tr("Name of these values of %1:").arg(this->Simulation));
  QObject::connect(dialog, &QInputDialog::textValueSelected, this, &pqDSMSteeringPresets::save);
  dialog->open();
}

// A preset of the same name is replaced.
void pqDSMSteeringPresets::save(const QString& name)
{
  if (!name.trimmed().isEmpty())
  {
    auto presets = All()[this->Simulation].toObject();
    presets[name.trimmed()] = this->Values;
    Write(this->Simulation, presets);
  }
}
