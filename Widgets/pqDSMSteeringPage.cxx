// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringPage.h"

#include "pqDSMFittingScroll.h"
#include "pqDSMMessageLabel.h"
#include "pqDSMServerProxy.h"
#include "pqDSMSteeringButtons.h"
#include "pqDSMSteeringCurve.h"
#include "pqDSMSteeringForm.h"
#include "pqDSMTrace.h"

#include <pqHighlightablePushButton.h>

#include <QComboBox>
#include <QGridLayout>
#include <QJsonArray>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace
{
using Simulation = pqDSMSteeringStatus::Simulation;

// Samples of an observable with each status: enough for the time between two polls.
constexpr int RecentSamples = 100;
// After a gap, once.
constexpr int AllSamples = 10000;
// While the curves are hidden. With 0 the status would be empty.
constexpr int HiddenSamples = 1;

QString TimeText(double time)
{
  return QString::number(time, 'g', 6);
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
    "No simulation that can be steered is connected.\n\nA simulation says by a few calls of dsm.h, "
    "of its Fortran module or of the Python package dsm what may be changed while it runs "
    "(dsm_open, dsm_double, dsm_step, …). Its parameters, commands and observables then appear "
    "here by themselves."));
  column->addWidget(this->Empty);
  column->addWidget(this->Body, 1);
  auto* body = new QVBoxLayout(this->Body);
  body->setContentsMargins(0, 0, 0, 0);
  body->addWidget(this->makeHead());
  this->Scroll = new pqDSMFittingScroll(this->Body);
  this->Scroll->setObjectName("steeringScroll");
  this->Scrolled = new QVBoxLayout(this->setInside(this->Scroll));
  this->Scrolled->setContentsMargins(0, 2, 4, 0);
  body->addWidget(this->Scroll);
  // The curves are in sight, whatever the form's length: they have what it leaves.
  this->CurveScroll = new QScrollArea(this->Body);
  this->CurveScroll->setObjectName("steeringCurves");
  this->CurveScroll->setFrameShape(QFrame::NoFrame);
  this->CurveScroll->setWidgetResizable(true);
  this->CurveScroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  this->CurveGrid = new QGridLayout(this->setInside(this->CurveScroll));
  this->CurveGrid->setContentsMargins(0, 2, 0, 0);
  body->addWidget(this->CurveScroll, 1);
  body->addStretch(0);
  this->layOutCurves();
  this->Server->setSteeringSamples(HiddenSamples);
}

// What a scroll area scrolls, with the page's background.
QWidget* pqDSMSteeringPage::setInside(QScrollArea* scroll)
{
  auto* inside = new QWidget(scroll);
  scroll->setWidget(inside);
  inside->setAutoFillBackground(false);
  scroll->viewport()->setAutoFillBackground(false);
  return inside;
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
  this->Selection->setToolTip(tr("Which simulation to steer"));
  column->addWidget(this->Selection);
  this->State = new QLabel(head);
  this->State->setObjectName("steeringState");
  this->State->setTextFormat(Qt::PlainText);
  this->State->setWordWrap(true);
  column->addWidget(this->State);
  this->Buttons = new pqDSMSteeringButtons(head);
  column->addWidget(this->Buttons);

  auto* row = new QHBoxLayout;
  this->Apply =
    new pqHighlightablePushButton(QIcon(":/pqWidgets/Icons/pqApply.svg"), tr("Apply"), head);
  this->Apply->setObjectName("steeringApply");
  this->Apply->setToolTip(
    tr("Send all changes as one: the simulation takes all of them at one step, or none"));
  this->Reset = new QPushButton(QIcon(":/pqWidgets/Icons/pqCancel.svg"), tr("Reset"), head);
  this->Reset->setObjectName("steeringReset");
  this->Reset->setToolTip(tr("Forget the changes that were not applied"));
  row->addWidget(this->Apply);
  row->addWidget(this->Reset);
  column->addLayout(row);
  this->Outcome = new pqDSMMessageLabel(head);
  this->Outcome->setObjectName("steeringOutcome");
  column->addWidget(this->Outcome);

  QObject::connect(
    this->Buttons, &pqDSMSteeringButtons::commanded, this, &pqDSMSteeringPage::command);
  QObject::connect(this->Apply, &QPushButton::clicked, this, &pqDSMSteeringPage::apply);
  QObject::connect(this->Reset, &QPushButton::clicked, this, &pqDSMSteeringPage::reset);
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

void pqDSMSteeringPage::updateStatus()
{
  const QString& text = this->Server->status().Steering;
  if (text == this->StatusText)
  {
    return;
  }
  if (text.isEmpty() || this->StatusText.isEmpty())
  {
    // The server was started again: changes are numbered from 1.
    this->Unanswered.clear();
    this->Own.clear();
    this->Reported.clear();
    this->SelectedName.clear();
    this->showMessage({});
  }
  this->StatusText = text;
  this->Status = pqDSMSteeringStatus::parse(text);
  this->updateForm();
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
  this->ShownObservables.clear();
  this->makeCurves();
  if (simulation)
  {
    this->Form = new pqDSMSteeringForm(*simulation, this->Body);
    this->Form->enter(changes);
    this->Scrolled->insertWidget(0, this->Form);
    QObject::connect(this->Form, &pqDSMSteeringForm::changed, this, &pqDSMSteeringPage::display);
    QObject::connect(this->Form, &pqDSMSteeringForm::commanded, this, &pqDSMSteeringPage::command);
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

void pqDSMSteeringPage::send(const QJsonObject& set, const QString& command, int count)
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
  const Sent sent{ this->SelectedName, set.keys(), command };
  const auto answer = this->Server->steer({ { "do", "apply" }, { "program", this->SelectedName },
    { "set", set }, { "commands", commands } });
  if (answer.isEmpty())
  {
    // The reason stands in the header.
    this->showMessage(tr("Not sent: the message above says why."), true);
    return;
  }
  this->Form->sent(sent.Parameters);
  const auto outcome = pqDSMSteeringStatus::readOutcome(answer);
  this->Unanswered[outcome.Number] = sent;
  this->Own.insert(outcome.Number);
  if (answer["state"].toString() == "pending")
  {
    pqDSMTrace::steer(this->Server->proxy(), this->Server->status().ContactPath,
      this->Status.Simulations.size() > 1 ? this->SelectedName : QString(), set, command, count);
    this->showMessage(tr("Waiting for the simulation's next step"));
  }
  else
  {
    this->Status.Outcomes[outcome.Number] = outcome;
    this->takeOutcomes();
  }
  this->display();
}

// Takes the outcomes of the changes that this page has sent. Returns whether there were any.
bool pqDSMSteeringPage::takeOutcomes()
{
  bool any = false;
  const auto sent = this->Unanswered;
  for (auto each = sent.begin(); each != sent.end(); ++each)
  {
    const auto outcome = this->Status.Outcomes.find(each.key());
    const auto* simulation = this->Status.find(each->Simulation);
    if (outcome != this->Status.Outcomes.end())
    {
      this->Unanswered.remove(each.key());
      this->showOutcome(*each, *outcome);
      any = true;
    }
    else if (each.key() <= this->Status.LastNumber &&
      !(simulation && simulation->Pending.contains(each.key())))
    {
      // The server keeps a limited number of outcomes, and this one has gone.
      this->Unanswered.remove(each.key());
      if (this->isShown(*each))
      {
        this->Form->applied(each->Parameters);
      }
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
  const QString what = sent.Command.isEmpty() ? tr("Applied") : tr("\"%1\"").arg(sent.Command);
  if (outcome.Applied)
  {
    if (this->isShown(sent))
    {
      this->Form->applied(sent.Parameters);
    }
    const QString text =
      tr("%1 at step %2, time %3").arg(what).arg(outcome.Step).arg(TimeText(outcome.Time));
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
    reasons << (field ? reason.key() : reason.key() + ": " + reason.value());
    if (field)
    {
      this->Scroll->ensureWidgetVisible(field);
    }
  }
  this->showMessage(sent.Command.isEmpty()
      ? tr("Refused, and nothing was changed: %1").arg(reasons.join("; "))
      : tr("%1 was refused: %2").arg(what, reasons.join("; ")),
    true);
}

// Of other viewers, scripts and replayed logs. Below our own outcome if that is as new; not while
// one of ours is awaited.
void pqDSMSteeringPage::showOutcomesOfOthers(bool ownIsNew)
{
  if (!this->Unanswered.empty())
  {
    return;
  }
  constexpr qsizetype most = 3;
  QStringList texts;
  const auto& outcomes = this->Status.Outcomes;
  // A file that was written is in two outcomes: in that of the command, as a note, and in its own.
  QStringList notes;
  for (const qint64 number : std::as_const(this->Own))
  {
    if (!this->Reported.contains(number))
    {
      notes << outcomes.value(number).Note;
    }
  }
  for (auto each = outcomes.begin(); each != outcomes.end(); ++each)
  {
    const QString text = pqDSMSteeringStatus::text(*each);
    const QString file = pqDSMSteeringStatus::pathOrReason(*each);
    const bool known = texts.contains(text) ||
      (!file.isEmpty() &&
        std::any_of(notes.begin(), notes.end(),
          [&](const QString& note) { return note.endsWith(' ' + file); }));
    if (!this->Reported.contains(each.key()) && !this->Own.contains(each.key()) && !known &&
      !text.isEmpty())
    {
      texts << text;
    }
  }
  const auto numbers = outcomes.keys();
  this->Reported = QSet<qint64>(numbers.begin(), numbers.end());
  this->Own.intersect(this->Reported);
  if (texts.empty() || (ownIsNew && this->ShowsRefusal))
  {
    return;
  }
  texts = texts.mid(std::max<qsizetype>(0, texts.size() - most));
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
  const QString usual = simulation && simulation->State == "ended" ? QString()
    : count == 0 ? tr("Change a field, then press Apply.")
    : count == 1 ? tr("1 change is not applied yet.")
                 : tr("%1 changes are not applied yet.").arg(count);
  this->Outcome->showMessage(this->Message.isEmpty() ? usual : this->Message, this->ShowsRefusal);
}

void pqDSMSteeringPage::display()
{
  const auto* simulation = this->selected();
  this->Empty->setVisible(!simulation);
  this->Body->setVisible(simulation);
  if (!simulation)
  {
    this->Server->setSteeringSamples(RecentSamples);
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
    : simulation->State == "lost"                   ? tr("does not answer")
    : simulation->Paused                            ? tr("paused")
                                                    : tr("running");
  this->State->setText(tr("%1 %2, step %3, time %4")
      .arg(simulation->Name, what)
      .arg(simulation->Step)
      .arg(TimeText(simulation->Time)));
  this->State->setToolTip(tr("Who changed what at which step is kept in %1").arg(this->Status.Log));
  const bool alive = simulation->State != "ended";
  if (this->Form->isEnabled() != alive)
  {
    this->Form->setEnabled(alive);
  }
  const bool changes = alive && !this->Form->changes().isEmpty();
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
  this->displayMessage();
}

void pqDSMSteeringPage::makeCurves()
{
  qDeleteAll(this->Curves);
  this->Curves.clear();
  for (const auto& observable : this->ShownObservables)
  {
    this->Curves.push_back(new pqDSMSteeringCurve(observable, this->CurveScroll->widget()));
  }
  this->layOutCurves();
}

// Two beside each other, and two rows of them in sight.
void pqDSMSteeringPage::layOutCurves()
{
  constexpr int columns = 2;
  constexpr int rowsInSight = 2;
  constexpr int mostLines = 14; // of text, as high as a curve
  const auto count = static_cast<int>(this->Curves.size());
  for (int index = 0; index < count; ++index)
  {
    const bool alone = index == count - 1 && index % columns == 0;
    this->CurveGrid->addWidget(
      this->Curves[index], index / columns, index % columns, 1, alone ? columns : 1);
  }
  const int rows = (count + columns - 1) / columns;
  const int least = count > 0 ? this->Curves.front()->minimumSizeHint().height() : 0;
  this->CurveScroll->setMinimumHeight(
    std::min(rows, rowsInSight) * (least + this->CurveGrid->verticalSpacing()) + 4);
  this->CurveScroll->setMaximumHeight(rows * mostLines * this->fontMetrics().height());
  this->CurveScroll->setVisible(count > 0);
}

void pqDSMSteeringPage::displayCurves()
{
  if (!this->selected())
  {
    return;
  }
  const auto& simulation = *this->selected();
  if (simulation.Observables != this->ShownObservables)
  {
    this->ShownObservables = simulation.Observables;
    this->makeCurves();
  }
  bool complete = true;
  const auto most = this->Server->status().SteeringSamples;
  for (qsizetype index = 0; index < this->Curves.size(); ++index)
  {
    const auto series = simulation.Observed.value(simulation.Observables[index].Name);
    const bool whole = most >= AllSamples || series.Steps.size() < most;
    complete = this->Curves[index]->add(series, whole) && complete;
  }
  this->Server->setSteeringSamples(complete ? RecentSamples : AllSamples);
}
