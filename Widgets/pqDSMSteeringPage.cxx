// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringPage.h"

#include "pqDSMLink.h"
#include "pqDSMNotice.h"
#include "pqDSMSteeringButtons.h"
#include "pqDSMSteeringCurve.h"
#include "pqDSMSteeringForm.h"
#include "pqDSMTrace.h"

#include <pqHighlightablePushButton.h>

#include <QComboBox>
#include <QJsonArray>
#include <QLabel>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>

namespace
{
using Simulation = pqDSMSteeringStatus::Simulation;

// Enough for the time between two looks; the rest comes once.
constexpr int RecentHistory = 100;
constexpr int WholeHistory = 10000;
// While nobody looks at the curves; not none, which says nothing of a simulation at all.
constexpr int HiddenHistory = 1;

QString Shown(double time)
{
  return QString::number(time, 'g', 6);
}
}

pqDSMSteeringPage::pqDSMSteeringPage(pqDSMLink* link, QWidget* parent)
  : Superclass(parent)
  , Link(link)
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
  this->Scroll = new QScrollArea(this->Body);
  auto* scroll = this->Scroll;
  scroll->setObjectName("steeringScroll");
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setWidgetResizable(true);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  auto* inside = new QWidget(scroll);
  this->Scrolled = new QVBoxLayout(inside);
  this->Scrolled->setContentsMargins(0, 2, 4, 0);
  this->Scrolled->addStretch(1);
  scroll->setWidget(inside);
  // The page's colour.
  inside->setAutoFillBackground(false);
  scroll->viewport()->setAutoFillBackground(false);
  body->addWidget(scroll, 1);
  this->Link->wantSteering(HiddenHistory);
}

// Making a form takes time that nobody should wait for who does not steer.
void pqDSMSteeringPage::showEvent(QShowEvent* event)
{
  Superclass::showEvent(event);
  this->choose();
  this->display();
  this->displayCurves();
}

QWidget* pqDSMSteeringPage::makeHead()
{
  auto* head = new QWidget(this->Body);
  auto* column = new QVBoxLayout(head);
  column->setContentsMargins(0, 0, 0, 0);
  this->Choice = new QComboBox(head);
  this->Choice->setObjectName("simulation");
  this->Choice->setToolTip(tr("Which simulation to steer"));
  column->addWidget(this->Choice);
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
  this->Outcome = new pqDSMNotice(head);
  this->Outcome->setObjectName("steeringOutcome");
  column->addWidget(this->Outcome);

  QObject::connect(
    this->Buttons, &pqDSMSteeringButtons::commanded, this, &pqDSMSteeringPage::command);
  QObject::connect(this->Apply, &QPushButton::clicked, this, &pqDSMSteeringPage::apply);
  QObject::connect(this->Reset, &QPushButton::clicked, this, &pqDSMSteeringPage::reset);
  QObject::connect(this->Choice, &QComboBox::currentTextChanged, this,
    [this](const QString& name)
    {
      this->Chosen = name;
      this->choose();
      this->display();
    });
  return head;
}

const Simulation* pqDSMSteeringPage::chosen() const
{
  return this->Status.find(this->Chosen);
}

QString pqDSMSteeringPage::outcome() const
{
  return this->Outcome->text();
}

qlonglong pqDSMSteeringPage::step() const
{
  const auto* simulation = this->chosen();
  return simulation ? simulation->Step : -1;
}

bool pqDSMSteeringPage::paused() const
{
  const auto* simulation = this->chosen();
  return simulation && simulation->Paused;
}

void pqDSMSteeringPage::look()
{
  const QString& told = this->Link->status().Steering;
  if (told == this->Seen)
  {
    return;
  }
  if (told.isEmpty() || this->Seen.isEmpty())
  {
    // Another server, which counts anew.
    this->OnTheWay.clear();
    this->Own.clear();
    this->Told.clear();
    this->Chosen.clear();
    this->say({});
  }
  this->Seen = told;
  this->Status = pqDSMSteeringStatus::parse(told);
  this->choose();
  this->lookAtOthers(this->settle());
  if (this->isVisible())
  {
    this->display();
    this->displayCurves();
  }
  else
  {
    this->Link->wantSteering(HiddenHistory);
  }
}

// Who looks at one that has ended stays there, until another one comes.
void pqDSMSteeringPage::choose()
{
  const auto& simulations = this->Status.Simulations;
  const auto* simulation = this->chosen();
  const bool newer = simulation && !simulation->connected() && simulations.front().connected();
  if ((!simulation || newer) && !simulations.empty())
  {
    simulation = &simulations.front();
    this->Chosen = simulation->Name;
  }
  if (simulation && this->Form && this->Form->fits(*simulation))
  {
    this->Form->setValues(simulation->Values);
    return;
  }
  if (!this->isVisible())
  {
    return;
  }
  // What was entered and not applied outlives a parameter that is declared late.
  const auto entered = simulation && this->Form && this->Form->name() == simulation->Name
    ? this->Form->changes()
    : QJsonObject();
  delete this->Form;
  this->Form = nullptr;
  qDeleteAll(this->Curves);
  this->Curves.clear();
  this->CurvesMadeOf.clear();
  if (simulation)
  {
    this->Form = new pqDSMSteeringForm(*simulation, this->Body);
    this->Form->enter(entered);
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
  this->say({});
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
  const Sent sent{ this->Chosen, set.keys(), command };
  const auto answer = this->Link->steer(
    { { "do", "apply" }, { "program", this->Chosen }, { "set", set }, { "commands", commands } });
  if (answer.isEmpty())
  {
    this->say(this->Link->status().CommandError, true);
    return;
  }
  this->Form->sent(sent.Names);
  const auto outcome = pqDSMSteeringStatus::readOutcome(answer);
  this->OnTheWay[outcome.Number] = sent;
  this->Own.insert(outcome.Number);
  if (answer["state"].toString() == "pending")
  {
    pqDSMTrace::steer(this->Link->proxy(), this->Link->status().ContactPath,
      this->Status.Simulations.size() > 1 ? this->Chosen : QString(), set, command, count);
    this->say(tr("Waiting for the simulation's next step"));
  }
  else
  {
    this->Status.Outcomes[outcome.Number] = outcome;
    this->settle();
  }
  this->display();
}

// What became of what this page has sent; false when nothing did.
bool pqDSMSteeringPage::settle()
{
  bool any = false;
  const auto sent = this->OnTheWay;
  for (auto each = sent.begin(); each != sent.end(); ++each)
  {
    const auto outcome = this->Status.Outcomes.find(each.key());
    const auto* simulation = this->Status.find(each->Simulation);
    if (outcome != this->Status.Outcomes.end())
    {
      this->OnTheWay.remove(each.key());
      this->settle(*each, *outcome);
      any = true;
    }
    else if (each.key() <= this->Status.LastNumber &&
      !(simulation && simulation->Pending.contains(each.key())))
    {
      // Others have made so many changes meanwhile that its outcome is not told any more.
      this->OnTheWay.remove(each.key());
      if (this->isShown(*each))
      {
        this->Form->settled(each->Names);
      }
    }
  }
  return any;
}

// Whether the form is the one that it was sent from.
bool pqDSMSteeringPage::isShown(const Sent& sent) const
{
  return this->Form && this->Form->name() == sent.Simulation;
}

void pqDSMSteeringPage::settle(const Sent& sent, const pqDSMSteeringStatus::Outcome& outcome)
{
  const QString what = sent.Command.isEmpty() ? tr("Applied") : tr("\"%1\"").arg(sent.Command);
  if (outcome.Applied)
  {
    if (this->isShown(sent))
    {
      this->Form->settled(sent.Names);
    }
    const QString told =
      tr("%1 at step %2, time %3").arg(what).arg(outcome.Step).arg(Shown(outcome.Time));
    this->say(outcome.Note.isEmpty() ? told : told + ": " + outcome.Note);
    return;
  }
  if (this->isShown(sent))
  {
    this->Form->refused(sent.Names, outcome.Refusals);
  }
  // What is to blame and has a field says so there.
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
  this->say(sent.Command.isEmpty()
      ? tr("Refused, and nothing was changed: %1").arg(reasons.join("; "))
      : tr("%1 was refused: %2").arg(what, reasons.join("; ")),
    true);
}

// Other viewers, scripts and replayed logs change things too. What stands there of our own, and is
// as new, stays above it; while ours is on the way, the others wait.
void pqDSMSteeringPage::lookAtOthers(bool besideOwn)
{
  if (!this->OnTheWay.empty())
  {
    return;
  }
  constexpr qsizetype most = 3;
  QStringList told;
  const auto& outcomes = this->Status.Outcomes;
  // What became of a file comes twice at once: with the command that had it written, and with the
  // order to write it.
  QStringList notes;
  for (const qint64 number : std::as_const(this->Own))
  {
    if (!this->Told.contains(number))
    {
      notes << outcomes.value(number).Note;
    }
  }
  for (auto each = outcomes.begin(); each != outcomes.end(); ++each)
  {
    const QString text = pqDSMSteeringStatus::text(*each);
    const QString file = pqDSMSteeringStatus::onDisk(*each);
    const bool known = told.contains(text) ||
      (!file.isEmpty() &&
        std::any_of(notes.begin(), notes.end(),
          [&](const QString& note) { return note.endsWith(' ' + file); }));
    if (!this->Told.contains(each.key()) && !this->Own.contains(each.key()) && !known &&
      !text.isEmpty())
    {
      told << text;
    }
  }
  const auto numbers = outcomes.keys();
  this->Told = QSet<qint64>(numbers.begin(), numbers.end());
  this->Own.intersect(this->Told);
  if (told.empty() || (besideOwn && this->OwnRefused))
  {
    return;
  }
  told = told.mid(std::max<qsizetype>(0, told.size() - most));
  this->say((besideOwn ? this->outcome() + '\n' : QString()) + told.join('\n'));
}

void pqDSMSteeringPage::say(const QString& text, bool bad)
{
  this->OwnRefused = bad;
  this->Outcome->say(text, bad);
}

void pqDSMSteeringPage::display()
{
  const auto* simulation = this->chosen();
  this->Empty->setVisible(!simulation);
  this->Body->setVisible(simulation);
  if (!simulation)
  {
    this->Link->wantSteering(RecentHistory);
    return;
  }
  QStringList names;
  for (const auto& each : this->Status.Simulations)
  {
    names << each.Name;
  }
  const QSignalBlocker quiet(this->Choice);
  QStringList had;
  for (int index = 0; index < this->Choice->count(); ++index)
  {
    had << this->Choice->itemText(index);
  }
  if (had != names)
  {
    this->Choice->clear();
    this->Choice->addItems(names);
  }
  this->Choice->setCurrentText(this->Chosen);
  this->Choice->setVisible(names.size() > 1);

  const QString what = simulation->State == "ended" ? tr("has ended")
    : simulation->State == "lost"                   ? tr("does not answer")
    : simulation->Paused                            ? tr("paused")
                                                    : tr("running");
  this->State->setText(tr("%1 %2, step %3, time %4")
      .arg(simulation->Name, what)
      .arg(simulation->Step)
      .arg(Shown(simulation->Time)));
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
    // ParaView's green is light in dark themes, too.
    auto colours = this->Apply->palette();
    colours.setColor(QPalette::ButtonText, Qt::black);
    this->Apply->setPalette(colours);
  }
  this->Buttons->show(*simulation);
}

void pqDSMSteeringPage::displayCurves()
{
  if (!this->chosen())
  {
    return;
  }
  const auto& simulation = *this->chosen();
  if (simulation.Observables != this->CurvesMadeOf)
  {
    this->CurvesMadeOf = simulation.Observables;
    qDeleteAll(this->Curves);
    this->Curves.clear();
    for (const auto& observable : simulation.Observables)
    {
      this->Curves.push_back(new pqDSMSteeringCurve(observable, this->Body));
      this->Scrolled->insertWidget(this->Scrolled->count() - 1, this->Curves.back());
    }
  }
  bool complete = true;
  const auto most = this->Link->status().SteeringSamples;
  for (qsizetype index = 0; index < this->Curves.size(); ++index)
  {
    const auto series = simulation.Observed.value(simulation.Observables[index].Name);
    const bool whole = most >= WholeHistory || series.Steps.size() < most;
    complete = this->Curves[index]->add(series, whole) && complete;
  }
  this->Link->wantSteering(complete ? RecentHistory : WholeHistory);
}
