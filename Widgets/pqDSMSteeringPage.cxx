// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringPage.h"

#include "pqDSMBreakpoint.h"
#include "pqDSMFittingScroll.h"
#include "pqDSMMessageLabel.h"
#include "pqDSMSendDialog.h"
#include "pqDSMServerProxy.h"
#include "pqDSMSteeringButtons.h"
#include "pqDSMSteeringCurves.h"
#include "pqDSMSteeringForm.h"
#include "pqDSMSteeringPresets.h"
#include "pqDSMText.h"
#include "pqDSMTrace.h"

#include <pqHighlightablePushButton.h>

#include <QComboBox>
#include <QJsonArray>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace
{
using Simulation = pqDSMSteeringStatus::Simulation;

// While the curves are hidden. With 0 the status would be empty.
constexpr int HiddenSamples = 1;

QString TimeText(double time)
{
  return QString::number(time, 'g', 6);
}

// "12", or "12 of 1000 (about 5 minutes left)".
QString ProgressText(const Simulation& simulation)
{
  if (simulation.LastStep < 0)
  {
    return QString::number(simulation.Step);
  }
  const QString progress =
    pqDSMSteeringPage::tr("%1 of %2").arg(simulation.Step).arg(simulation.LastStep);
  return simulation.connected() && !simulation.Paused && simulation.SecondsLeft > 0
    ? pqDSMSteeringPage::tr("%1 (about %2 left)")
        .arg(progress, pqDSMText::duration(simulation.SecondsLeft))
    : progress;
}

// Returns the newest values of its observables.
QMap<QString, double> Newest(const Simulation& simulation)
{
  QMap<QString, double> newest;
  for (auto series = simulation.Observed.begin(); series != simulation.Observed.end(); ++series)
  {
    if (!series->Values.isEmpty())
    {
      newest[series.key()] = series->Values.last();
    }
  }
  return newest;
}

// Why nothing can be changed now; empty if it can.
QString Hindrance(const Simulation& simulation)
{
  return simulation.connected() ? QString()
    : simulation.State == "ended"
    ? pqDSMSteeringPage::tr(
        "The simulation has ended. You can change parameters when a simulation connects.")
    : pqDSMSteeringPage::tr(
        "The simulation exited unexpectedly or is not responding. You can change "
        "parameters when it or another simulation connects.");
}
}

pqDSMSteeringPage::pqDSMSteeringPage(pqDSMServerProxy* server, QWidget* parent)
  : Superclass(parent)
  , Server(server)
  , Empty(new QLabel(this))
  , Body(new QWidget(this))
{
  this->setObjectName("steering");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  this->Empty->setObjectName("steeringEmpty");
  this->Empty->setWordWrap(true);
  this->Empty->setAlignment(Qt::AlignTop);
  this->Empty->setText(tr(
    "No steerable simulation is connected.\n\nSimulations declare steerable parameters with a few "
    "calls (dsm.h, its Fortran module, or the Python package dsm). Their parameters, commands and "
    "observables then appear here."));
  column->addWidget(this->Empty);
  column->addWidget(this->Body, 1);
  auto* body = new QVBoxLayout(this->Body);
  body->setContentsMargins(0, 0, 0, 0);
  body->addWidget(this->makeHead());
  this->Scroll = new pqDSMFittingScroll(this->Body);
  this->Scroll->setObjectName("steeringScroll");
  auto* inside = new QWidget(this->Scroll);
  this->Scroll->setWidget(inside);
  inside->setAutoFillBackground(false);
  this->Scroll->viewport()->setAutoFillBackground(false);
  this->Scrolled = new QVBoxLayout(inside);
  this->Scrolled->setContentsMargins(0, 2, 4, 0);
  body->addWidget(this->Scroll);
  // The curves are in sight, whatever the form's length: they have what it leaves.
  this->Curves = new pqDSMSteeringCurves(this->Body);
  this->Curves->setObjectName("steeringCurves");
  body->addWidget(this->Curves, 1);
  body->addStretch(0);
  this->Server->setSteeringSamples(HiddenSamples);
}

// The form is made when the page is shown first: making it takes time.
void pqDSMSteeringPage::showEvent(QShowEvent* event)
{
  Superclass::showEvent(event);
  this->updateForm();
  this->display();
  this->displayCurves();
}

QWidget* pqDSMSteeringPage::makeHead()
{
  auto* head = new QWidget(this->Body);
  auto* column = new QVBoxLayout(head);
  column->setContentsMargins(0, 0, 0, 0);
  this->Selection = new QComboBox(head);
  this->Selection->setObjectName("simulation");
  this->Selection->setToolTip(tr("Choose the simulation to steer."));
  column->addWidget(this->Selection);
  this->State = new QLabel(head);
  this->State->setObjectName("steeringState");
  this->State->setTextFormat(Qt::PlainText);
  this->State->setWordWrap(true);
  column->addWidget(this->State);
  this->Buttons = new pqDSMSteeringButtons(head);
  column->addWidget(this->Buttons);
  this->Breakpoint = new pqDSMBreakpoint(head);
  column->addWidget(this->Breakpoint);
  QObject::connect(
    this->Breakpoint, &pqDSMBreakpoint::reached, this, &pqDSMSteeringPage::pauseBecause);

  auto* row = new QHBoxLayout;
  this->Apply =
    new pqHighlightablePushButton(QIcon(":/pqWidgets/Icons/pqApply.svg"), tr("Apply"), head);
  this->Apply->setObjectName("steeringApply");
  this->Apply->setToolTip(pqDSMText::tip(
    tr("Send all changes together; they take effect at the same step or not at all.")));
  this->Reset = new QPushButton(QIcon(":/pqWidgets/Icons/pqCancel.svg"), tr("Reset"), head);
  this->Reset->setObjectName("steeringReset");
  this->Reset->setToolTip(tr("Discard unapplied changes."));
  row->addWidget(this->Apply);
  row->addWidget(this->Reset);
  this->Presets = new pqDSMSteeringPresets(head);
  row->addWidget(this->Presets);
  column->addLayout(row);
  this->Outcome = new pqDSMMessageLabel(head);
  this->Outcome->setObjectName("steeringOutcome");
  column->addWidget(this->Outcome);

  QObject::connect(
    this->Buttons, &pqDSMSteeringButtons::commanded, this, &pqDSMSteeringPage::command);
  QObject::connect(this->Apply, &QPushButton::clicked, this, &pqDSMSteeringPage::apply);
  QObject::connect(this->Reset, &QPushButton::clicked, this, &pqDSMSteeringPage::reset);
  QObject::connect(this->Presets, &pqDSMSteeringPresets::chosen, this,
    [this](const QJsonObject& values)
    {
      if (this->Form)
      {
        this->Form->enter(values);
      }
    });
  QObject::connect(this->Selection, &QComboBox::currentTextChanged, this,
    [this](const QString& name)
    {
      this->SelectedName = name;
      this->updateForm();
      this->display();
    });
  return head;
}

const Simulation* pqDSMSteeringPage::selected() const
{
  return this->Status.find(this->SelectedName);
}

QString pqDSMSteeringPage::outcome() const
{
  return this->Message;
}

qlonglong pqDSMSteeringPage::step() const
{
  const auto* simulation = this->selected();
  return simulation ? simulation->Step : -1;
}

bool pqDSMSteeringPage::paused() const
{
  const auto* simulation = this->selected();
  return simulation && simulation->Paused;
}

bool pqDSMSteeringPage::connected() const
{
  const auto* simulation = this->selected();
  return simulation && simulation->connected();
}

void pqDSMSteeringPage::takeData(pqPipelineSource* reader)
{
  this->Breakpoint->takeData(reader);
}

void pqDSMSteeringPage::pauseBecause(const QString& what)
{
  if (this->connected() && !this->paused())
  {
    this->send({}, "pause", 0, {}, what);
  }
}

void pqDSMSteeringPage::updateStatus()
{
  const QString& text = this->Server->status().Steering;
  if (text == this->StatusText)
  {
    return;
  }
  if (text.isEmpty() || this->StatusText.isEmpty())
  {
    // The server was started again.
    this->Changes.clear();
    this->SelectedName.clear();
    this->showMessage({});
  }
  this->StatusText = text;
  this->Status = pqDSMSteeringStatus::parse(text);
  this->updateForm();
  if (const auto* simulation = this->selected())
  {
    this->Breakpoint->take(Newest(*simulation));
  }
  this->showOutcomesOfOthers(this->takeOutcomes());
  if (this->isVisible())
  {
    this->display();
    this->displayCurves();
  }
  else
  {
    this->Server->setSteeringSamples(HiddenSamples);
  }
}

// The form of the selected simulation, also when that has ended; of a new one as soon as there is
// one.
void pqDSMSteeringPage::updateForm()
{
  const auto& simulations = this->Status.Simulations;
  const auto* simulation = this->selected();
  const bool newer = simulation && !simulation->connected() && simulations.front().connected();
  if ((!simulation || newer) && !simulations.empty())
  {
    simulation = &simulations.front();
    this->SelectedName = simulation->Name;
  }
  // What was said of one that has ended is over when the next one has come, also if it is the same
  // program.
  const bool again = simulation && simulation->connected() &&
    this->Shown.Name == simulation->Name &&
    (this->Shown.State == "ended" || simulation->Step < this->Shown.Step);
  if (newer || again)
  {
    this->showMessage({});
  }
  if (simulation)
  {
    this->Shown = { simulation->Name, simulation->State, simulation->Step };
  }
  if (simulation && this->Form && !again && this->Form->fits(*simulation))
  {
    this->Form->setValues(simulation->Values);
    return;
  }
  if (!this->isVisible())
  {
    if (again)
    {
      delete this->Form;
      this->Form = nullptr;
    }
    return;
  }
  // When a parameter is declared later, the changes that were not applied are kept.
  const auto changes = simulation && this->Form && this->Form->name() == simulation->Name
    ? this->Form->changes()
    : QJsonObject();
  delete this->Form;
  this->Form = nullptr;
  this->Curves->clear();
  if (simulation)
  {
    this->Form = new pqDSMSteeringForm(*simulation, this->Body);
    this->Form->enter(changes);
    this->Scrolled->insertWidget(0, this->Form);
    QObject::connect(this->Form, &pqDSMSteeringForm::changed, this, &pqDSMSteeringPage::display);
    QObject::connect(this->Form, &pqDSMSteeringForm::commanded, this, &pqDSMSteeringPage::command);
    QObject::connect(
      this->Form, &pqDSMSteeringForm::sendRequested, this, &pqDSMSteeringPage::chooseArray);
  }
}

void pqDSMSteeringPage::apply()
{
  if (this->Form)
  {
    this->send(this->Form->changes(), {}, 0);
  }
}

void pqDSMSteeringPage::reset()
{
  if (this->Form)
  {
    this->Form->reset();
  }
  this->showMessage({});
  this->display();
}

void pqDSMSteeringPage::command(const QString& name, int count)
{
  this->send({}, name, count);
}

// Other changes of the form stay as they are: the array is sent by itself.
void pqDSMSteeringPage::chooseArray(const pqDSMSteeringStatus::Parameter& parameter)
{
  const QString simulation = this->SelectedName;
  auto* dialog = new pqDSMSendDialog(this->Server, simulation, parameter, this);
  QObject::connect(dialog, &pqDSMSendDialog::stored, this,
    [this, simulation, name = parameter.Name](const QString& text, const QString& traced)
    {
      if (this->Form && this->Form->name() == simulation)
      {
        const QJsonObject set{ { name, text } };
        this->Form->enter(set);
        this->send(set, {}, 0, traced);
      }
    });
  dialog->open();
}

void pqDSMSteeringPage::send(const QJsonObject& set, const QString& command, int count,
  const QString& traced, const QString& because)
{
  if (set.isEmpty() && command.isEmpty())
  {
    return;
  }
  QJsonArray commands;
  if (!command.isEmpty())
  {
    commands.append(QJsonObject{
      { "name", command }, { "argument", count > 0 ? QJsonValue(count) : QJsonValue() } });
  }
  const Sent sent{ this->SelectedName, set.keys(), command, count, because };
  const auto answer = this->Server->steer({ { "do", "apply" }, { "program", this->SelectedName },
    { "set", set }, { "commands", commands } });
  if (answer.isEmpty())
  {
    // The reason stands below the pages.
    this->showMessage(tr("Not sent. The message below the pages gives the reason."), true);
    return;
  }
  // Commands come from ParaView's menu, too, before the page was shown.
  if (this->Form)
  {
    this->Form->sent(sent.Parameters);
  }
  const auto outcome = pqDSMSteeringStatus::readOutcome(answer);
  this->Changes.add(outcome.Number, sent);
  if (answer["state"].toString() == "pending")
  {
    pqDSMTrace::steer(this->Server->proxy(), this->Server->status().ContactPath,
      this->Status.Simulations.size() > 1 ? this->SelectedName : QString(), set, command, count,
      traced);
    this->showMessage(tr("Waiting for the next step of the simulation"));
  }
  else
  {
    this->Status.Outcomes[outcome.Number] = outcome;
    this->takeOutcomes();
  }
  if (this->Form)
  {
    this->display();
  }
}

// Takes the outcomes of the changes that this page has sent. Returns whether there were any.
bool pqDSMSteeringPage::takeOutcomes()
{
  bool any = false;
  for (const auto& [sent, outcome] : this->Changes.takeAnswers(this->Status))
  {
    any = any || outcome;
    if (outcome)
    {
      this->showOutcome(sent, *outcome);
    }
    else if (this->isShown(sent))
    {
      this->Form->applied(sent.Parameters);
    }
  }
  return any;
}

// Whether the form is the one from which it was sent.
bool pqDSMSteeringPage::isShown(const Sent& sent) const
{
  return this->Form && this->Form->name() == sent.Simulation;
}

void pqDSMSteeringPage::showOutcome(const Sent& sent, const pqDSMSteeringStatus::Outcome& outcome)
{
  if (outcome.Applied)
  {
    if (this->isShown(sent))
    {
      this->Form->applied(sent.Parameters);
    }
    QString text = pqDSMSteeringChanges::text(sent, outcome);
    if (!sent.Because.isEmpty())
    {
      text += ": " + sent.Because;
    }
    this->showMessage(outcome.Note.isEmpty() ? text : text + ": " + outcome.Note);
    return;
  }
  if (this->isShown(sent))
  {
    this->Form->refused(sent.Parameters, outcome.Refusals);
  }
  // A parameter's reason is shown at its field.
  QStringList reasons;
  for (auto reason = outcome.Refusals.begin(); reason != outcome.Refusals.end(); ++reason)
  {
    auto* field = this->isShown(sent) ? this->Form->field(reason.key()) : nullptr;
    const bool isRange = !pqDSMSteeringStatus::limit(reason.value()).isEmpty();
    reasons << (!field ? reason.key() + ": " + reason.value()
        : isRange      ? tr("%1 is out of range").arg(reason.key())
                       : reason.key());
    if (field)
    {
      this->Scroll->ensureWidgetVisible(field);
    }
  }
  this->showMessage(sent.Command.isEmpty()
      ? tr("Not applied: %1").arg(reasons.join("; "))
      : tr("Cannot %1: %2").arg(sent.Command, reasons.join("; ")),
    true);
}

// Below our own outcome if that is as new.
void pqDSMSteeringPage::showOutcomesOfOthers(bool ownIsNew)
{
  const QStringList texts = this->Changes.takeOthers(this->Status);
  if (texts.empty() || (ownIsNew && this->ShowsRefusal))
  {
    return;
  }
  this->showMessage((ownIsNew ? this->outcome() + '\n' : QString()) + texts.join('\n'));
}

void pqDSMSteeringPage::showMessage(const QString& text, bool isError)
{
  this->Message = text;
  this->ShowsRefusal = isError;
  this->displayMessage();
}

// Where there is nothing to say of a change, its place says how one is made.
void pqDSMSteeringPage::displayMessage()
{
  const auto count = this->Form ? this->Form->changes().size() : 0;
  const auto* simulation = this->selected();
  const QString hindrance = simulation ? Hindrance(*simulation) : QString();
  if (!hindrance.isEmpty())
  {
    this->Outcome->showMessage((this->Message + '\n' + hindrance).trimmed());
    return;
  }
  const QString usual = count == 0 ? tr("Change a value, then click Apply.")
    : count == 1                   ? tr("1 unapplied change")
                                   : tr("%1 unapplied changes").arg(count);
  this->Outcome->showMessage(this->Message.isEmpty() ? usual : this->Message, this->ShowsRefusal);
}

void pqDSMSteeringPage::display()
{
  const auto* simulation = this->selected();
  this->Empty->setVisible(!simulation);
  this->Body->setVisible(simulation);
  if (!simulation)
  {
    this->Server->setSteeringSamples(pqDSMSteeringCurves::RecentSamples);
    return;
  }
  QStringList names;
  for (const auto& each : this->Status.Simulations)
  {
    names << each.Name;
  }
  const QSignalBlocker quiet(this->Selection);
  QStringList shownNames;
  for (int index = 0; index < this->Selection->count(); ++index)
  {
    shownNames << this->Selection->itemText(index);
  }
  if (shownNames != names)
  {
    this->Selection->clear();
    this->Selection->addItems(names);
  }
  this->Selection->setCurrentText(this->SelectedName);
  this->Selection->setVisible(names.size() > 1);

  const QString what = simulation->State == "ended" ? tr("has ended")
    : simulation->State == "lost"                   ? tr("is lost")
    : simulation->Paused                            ? tr("paused")
                                                    : tr("running");
  this->State->setText(tr("%1 %2, step %3, time %4")
      .arg(simulation->Name, what, ProgressText(*simulation), TimeText(simulation->Time)));
  this->State->setToolTip(pqDSMText::tip(tr("Log of all changes: %1").arg(this->Status.Log)));
  const bool alive = simulation->connected();
  if (this->Form->isEnabled() != alive)
  {
    this->Form->setEnabled(alive);
  }
  const auto edited = this->Form->changes();
  const bool changes = alive && !edited.isEmpty();
  if (changes != this->Apply->isEnabled())
  {
    this->Apply->setEnabled(changes);
    this->Reset->setEnabled(changes);
  }
  this->Apply->highlight(!changes);
  if (changes)
  {
    // ParaView's green is light, also in dark themes.
    auto colours = this->Apply->palette();
    colours.setColor(QPalette::ButtonText, Qt::black);
    this->Apply->setPalette(colours);
  }
  this->Buttons->show(*simulation);
  this->Presets->show(*simulation, edited);
  this->Presets->setEnabled(alive);
  this->displayMessage();
}

void pqDSMSteeringPage::displayCurves()
{
  if (const auto* simulation = this->selected())
  {
    this->Server->setSteeringSamples(
      this->Curves->add(*simulation, this->Server->status().SteeringSamples));
  }
}
