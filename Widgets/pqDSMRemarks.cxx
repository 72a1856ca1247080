// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMRemarks.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>
#include <QVBoxLayout>

#include <algorithm>

namespace
{
constexpr int MostLines = 10; // at once
}

pqDSMRemarks::pqDSMRemarks(QWidget* parent)
  : Superclass(parent)
  , Area(new QScrollArea(this))
{
  this->setObjectName("remarks");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  this->Area->setWidgetResizable(true);
  this->Area->setFrameShape(QFrame::NoFrame);
  this->Area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  column->addWidget(this->Area);
  this->setVisible(false);
}

void pqDSMRemarks::show(
  const QStringList& guesses, const QStringList& alternatives, const QStringList& set)
{
  if (guesses == this->Guesses && alternatives == this->Alternatives && set == this->Set)
  {
    return;
  }
  this->Guesses = guesses;
  this->Alternatives = alternatives;
  this->Set = set;
  auto* body = new QWidget(this->Area);
  this->Lines = new QGridLayout(body);
  this->Lines->setContentsMargins(0, 0, 0, 0);
  this->Lines->setVerticalSpacing(2);
  this->Lines->setColumnStretch(0, 1);
  if (!set.empty())
  {
    this->addTitle(tr("Set by you:"));
  }
  for (qsizetype index = 0; index + 1 < set.size(); index += 2)
  {
    this->addLine(set[index], set[index + 1], { this->resetButton(set[index + 1]) });
  }
  if (!guesses.empty())
  {
    this->addTitle(tr("Assumed (not in the file):"));
  }
  for (qsizetype index = 0; index + 1 < guesses.size(); index += 2)
  {
    this->addLine(guesses[index], guesses[index + 1], this->alternativesTo(guesses[index]));
  }
  this->Area->setWidget(body); // deletes the one before
  // The page's background, not one of its own.
  body->setAutoFillBackground(false);
  this->Area->viewport()->setAutoFillBackground(false);
  this->setVisible(!guesses.empty() || !set.empty());
  this->fitHeight();
}

void pqDSMRemarks::addTitle(const QString& text)
{
  auto* title = new QLabel(text, this->Lines->parentWidget());
  title->setWordWrap(true);
  this->Lines->addWidget(title, this->Lines->rowCount(), 0, 1, 2);
}

// The buttons for the other readings of a guess.
QList<QWidget*> pqDSMRemarks::alternativesTo(const QString& guess)
{
  QList<QWidget*> buttons;
  for (qsizetype index = 0; index + 3 < this->Alternatives.size(); index += 4)
  {
    const QString property = this->Alternatives[index + 1];
    const QString value = this->Alternatives[index + 2];
    if (this->Alternatives[index] != guess || property.isEmpty())
    {
      continue;
    }
    auto* button =
      new QPushButton(tr("Use %1").arg(this->Alternatives[index + 3]), this->Lines->parentWidget());
    button->setObjectName("use" + property + value.simplified().replace(' ', '_'));
    button->setToolTip(tr("Reads the file this way instead. To undo it, click Reset"));
    QObject::connect(button, &QPushButton::clicked, this,
      [this, property, value] { Q_EMIT this->alternativeChosen(property, value); });
    buttons << button;
  }
  return buttons;
}

QWidget* pqDSMRemarks::resetButton(const QString& property)
{
  auto* button = new QPushButton(tr("Reset"), this->Lines->parentWidget());
  button->setObjectName("reset" + property);
  button->setToolTip(tr("Returns to what was recognized"));
  QObject::connect(button, &QPushButton::clicked, this,
    [this, property] { Q_EMIT this->resetRequested(property); });
  return button;
}

void pqDSMRemarks::addLine(
  const QString& text, const QString& property, const QList<QWidget*>& others)
{
  auto* body = this->Lines->parentWidget();
  const int row = this->Lines->rowCount();
  auto* line = new QLabel(text, body);
  line->setTextFormat(Qt::PlainText);
  line->setWordWrap(true);
  line->setIndent(this->fontMetrics().averageCharWidth() * 2);
  const bool inRow = !property.isEmpty() && others.size() < 2;
  this->Lines->addWidget(line, row, 0, 1, inRow ? 1 : 2);
  if (property.isEmpty())
  {
    return;
  }
  auto* button = new QPushButton(tr("Set…"), body);
  button->setObjectName("set" + property);
  button->setToolTip(tr("Go to the field in the Properties panel that sets this."));
  QObject::connect(button, &QPushButton::clicked, this,
    [this, property] { Q_EMIT this->settingRequested(property); });
  // Several buttons are below the text, which needs the width.
  auto* buttons = new QHBoxLayout;
  buttons->setContentsMargins(0, 0, 0, 0);
  buttons->setSpacing(2);
  for (auto* other : others)
  {
    buttons->addWidget(other);
  }
  buttons->addWidget(button);
  const int place = inRow ? row : row + 1;
  this->Lines->addLayout(
    buttons, place, inRow ? 1 : 0, 1, inRow ? 1 : 2, Qt::AlignTop | Qt::AlignRight);
}

void pqDSMRemarks::resizeEvent(QResizeEvent* event)
{
  Superclass::resizeEvent(event);
  this->fitHeight();
}

// As high as its lines need, wrapped as they are, up to a limit.
void pqDSMRemarks::fitHeight()
{
  if (!this->Lines)
  {
    return;
  }
  const int most = MostLines * (this->fontMetrics().lineSpacing() + 8);
  const auto heightFor = [this](int width)
  {
    return std::max(
      this->Lines->totalHeightForWidth(width), this->Lines->totalMinimumSize().height());
  };
  int needed = heightFor(this->width());
  if (needed > most)
  {
    needed = heightFor(this->width() - this->Area->verticalScrollBar()->sizeHint().width());
  }
  this->Area->setFixedHeight(std::min(needed, most));
}
