// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMSteeringField.h"

#include "pqDSMInt64SpinBox.h"

#include <pqDoubleLineEdit.h>
#include <pqDoubleRangeWidget.h>

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QJsonArray>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSlider>

#include <limits>

namespace
{
using Parameter = pqDSMSteeringStatus::Parameter;

QHBoxLayout* Row(QWidget* parent)
{
  auto* row = new QHBoxLayout(parent);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(4);
  return row;
}

// Text that is no number is sent as it is; the simulation refuses it with a reason.
QJsonValue NumberOrText(const QString& text)
{
  bool isNumber = false;
  const double number = text.toDouble(&isNumber);
  return isNumber ? QJsonValue(number) : QJsonValue(text);
}

class CheckBoxField : public pqDSMSteeringField
{
public:
  explicit CheckBoxField(QWidget* parent)
    : pqDSMSteeringField(parent)
    , Box(new QCheckBox(this))
  {
    Row(this)->addWidget(this->Box);
    QObject::connect(this->Box, &QCheckBox::toggled, this, [this] { this->emitEdited(); });
  }

  QJsonValue value() const override { return this->Box->isChecked(); }

protected:
  void showValue(const QJsonValue& value) override { this->Box->setChecked(value.toBool()); }

private:
  QCheckBox* Box;
};

class IntegerField : public pqDSMSteeringField
{
public:
  IntegerField(const Parameter& parameter, QWidget* parent)
    : pqDSMSteeringField(parent)
  {
    const auto minimum = parameter.Minimum.toInteger(std::numeric_limits<qint64>::min());
    const auto maximum = parameter.Maximum.toInteger(std::numeric_limits<qint64>::max());
    auto* row = Row(this);
    constexpr qint64 mostForSlider = 100000;
    if (parameter.Minimum.isDouble() && parameter.Maximum.isDouble() && maximum > minimum &&
      maximum < std::numeric_limits<int>::max() && minimum > std::numeric_limits<int>::min() &&
      maximum - minimum <= mostForSlider)
    {
      this->Slider = new QSlider(Qt::Horizontal, this);
      this->Slider->setRange(static_cast<int>(minimum), static_cast<int>(maximum));
      row->addWidget(this->Slider, 1);
      QObject::connect(this->Slider, &QSlider::valueChanged, this,
        [this](int value)
        {
          if (!this->Moving)
          {
            this->Box->setValue(value);
          }
        });
    }
    this->Box = new pqDSMInt64SpinBox(minimum, maximum, this);
    row->addWidget(this->Box, 1);
    QObject::connect(this->Box, &pqDSMInt64SpinBox::textChanged, this,
      [this]
      {
        this->moveSlider();
        this->emitEdited();
      });
  }

  QJsonValue value() const override
  {
    bool isNumber = false;
    const qint64 number = this->Box->text().toLongLong(&isNumber);
    return isNumber ? QJsonValue(number) : QJsonValue(this->Box->text());
  }

protected:
  void showValue(const QJsonValue& value) override { this->Box->setValue(value.toInteger()); }

private:
  void moveSlider()
  {
    if (this->Slider)
    {
      this->Moving = true;
      this->Slider->setValue(static_cast<int>(
        std::clamp<qint64>(this->Box->value(), this->Slider->minimum(), this->Slider->maximum())));
      this->Moving = false;
    }
  }

  QSlider* Slider = nullptr;
  pqDSMInt64SpinBox* Box = nullptr;
  bool Moving = false;
};

class SliderField : public pqDSMSteeringField
{
public:
  SliderField(const Parameter& parameter, QWidget* parent)
    : pqDSMSteeringField(parent)
    , Slider(new pqDoubleRangeWidget(this))
  {
    this->Slider->setMinimum(parameter.Minimum.toDouble());
    this->Slider->setMaximum(parameter.Maximum.toDouble());
    Row(this)->addWidget(this->Slider);
    QObject::connect(
      this->Slider, &pqDoubleRangeWidget::valueChanged, this, [this] { this->emitEdited(); });
  }

  QJsonValue value() const override { return this->Slider->value(); }

protected:
  void showValue(const QJsonValue& value) override { this->Slider->setValue(value.toDouble()); }

private:
  pqDoubleRangeWidget* Slider;
};

/// Without the focus ParaView's line edit shows a short form of the number: 0 for text that is
/// none.
class NumberEdit : public pqDoubleLineEdit
{
public:
  using pqDoubleLineEdit::pqDoubleLineEdit;

protected:
  void paintEvent(QPaintEvent* event) override
  {
    NumberOrText(this->text()).isDouble() ? pqDoubleLineEdit::paintEvent(event)
                                          // The text as it was typed.
                                          // NOLINTNEXTLINE(bugprone-parent-virtual-call)
                                          : pqLineEdit::paintEvent(event);
  }
};

/// One number, or three for a vector.
class NumberField : public pqDSMSteeringField
{
public:
  NumberField(int count, QWidget* parent)
    : pqDSMSteeringField(parent)
  {
    auto* row = Row(this);
    for (int index = 0; index < count; ++index)
    {
      auto* line = new NumberEdit(this);
      const QString axis = QString("xyz").mid(index, 1);
      line->setObjectName(axis);
      line->setMinimumWidth(6 * this->fontMetrics().averageCharWidth());
      if (count > 1)
      {
        auto* label = new QLabel(axis, this);
        label->setObjectName("axis " + axis);
        label->setBuddy(line);
        row->addWidget(label);
      }
      row->addWidget(line, 1);
      this->Lines.push_back(line);
      QObject::connect(line, &QLineEdit::textChanged, this, [this] { this->emitEdited(); });
    }
  }

  QJsonValue value() const override
  {
    if (this->Lines.size() == 1)
    {
      return NumberOrText(this->Lines.front()->text());
    }
    QJsonArray numbers;
    for (const auto* line : this->Lines)
    {
      numbers.append(NumberOrText(line->text()));
    }
    return numbers;
  }

protected:
  void showValue(const QJsonValue& value) override
  {
    for (qsizetype index = 0; index < this->Lines.size(); ++index)
    {
      this->Lines[index]->setTextAndResetCursor(
        pqDSMSteeringStatus::text(value.isArray() ? value.toArray().at(index) : value));
    }
  }

private:
  QVector<pqDoubleLineEdit*> Lines;
};

class ChoiceField : public pqDSMSteeringField
{
public:
  ChoiceField(const QStringList& choices, QWidget* parent)
    : pqDSMSteeringField(parent)
    , Box(new QComboBox(this))
  {
    this->Box->addItems(choices);
    Row(this)->addWidget(this->Box);
    QObject::connect(
      this->Box, &QComboBox::currentIndexChanged, this, [this] { this->emitEdited(); });
  }

  QJsonValue value() const override { return this->Box->currentText(); }

protected:
  void showValue(const QJsonValue& value) override
  {
    this->Box->setCurrentIndex(this->Box->findText(value.toString(), Qt::MatchExactly));
  }

private:
  QComboBox* Box;
};

class TextField : public pqDSMSteeringField
{
public:
  explicit TextField(QWidget* parent)
    : pqDSMSteeringField(parent)
    , Edit(new pqLineEdit(this))
  {
    Row(this)->addWidget(this->Edit);
    QObject::connect(this->Edit, &QLineEdit::textChanged, this, [this] { this->emitEdited(); });
  }

  QJsonValue value() const override { return this->Edit->text(); }

protected:
  void showValue(const QJsonValue& value) override
  {
    this->Edit->setTextAndResetCursor(value.toString());
  }

private:
  pqLineEdit* Edit;
};

// The field shows which array the simulation has, with a button for the dialog that sends another.
class ArrayField : public pqDSMSteeringField
{
public:
  ArrayField(const Parameter& parameter, QWidget* parent)
    : pqDSMSteeringField(parent)
    , Shape(parameter.Shape)
    , Label(new QLabel(this))
  {
    this->Label->setTextFormat(Qt::PlainText);
    this->Label->setWordWrap(true);
    auto* row = Row(this);
    row->addWidget(this->Label, 1);
    auto* send = new QPushButton(tr("Send…"), this);
    send->setObjectName("send");
    send->setToolTip(tr("Choose data of the pipeline, and send them."));
    row->addWidget(send);
    QObject::connect(send, &QPushButton::clicked, this, &pqDSMSteeringField::sendRequested);
    this->showValue({});
  }

  QJsonValue value() const override { return this->Value; }

protected:
  void showValue(const QJsonValue& value) override
  {
    this->Value = value;
    // The steering log has the whole hash.
    static const QRegularExpression hash("sha256:([0-9a-f]{8})");
    const QString sent = hash.match(value.toString()).captured(1);
    this->Label->setText(sent.isEmpty() ? tr("%1, not sent yet").arg(this->Shape)
                                        : tr("%1, sent (%2…)").arg(this->Shape, sent));
  }

private:
  QString Shape;
  QLabel* Label;
  QJsonValue Value;
};
}

pqDSMSteeringField::pqDSMSteeringField(QWidget* parent)
  : Superclass(parent)
{
}

pqDSMSteeringField* pqDSMSteeringField::make(const Parameter& parameter, QWidget* parent)
{
  if (parameter.Type == "bool")
  {
    return new CheckBoxField(parent);
  }
  if (parameter.Type == "int64")
  {
    return new IntegerField(parameter, parent);
  }
  if (parameter.Type == "enumeration")
  {
    return new ChoiceField(parameter.Choices, parent);
  }
  if (parameter.Type == "vector")
  {
    return new NumberField(3, parent);
  }
  if (parameter.Type == "array")
  {
    return new ArrayField(parameter, parent);
  }
  if (parameter.Type == "double")
  {
    const bool hasRange = parameter.Minimum.isDouble() && parameter.Maximum.isDouble() &&
      parameter.Maximum.toDouble() > parameter.Minimum.toDouble();
    return hasRange ? static_cast<pqDSMSteeringField*>(new SliderField(parameter, parent))
                    : new NumberField(1, parent);
  }
  return new TextField(parent);
}

void pqDSMSteeringField::setValue(const QJsonValue& value)
{
  // If it is shown already, the field keeps its cursor.
  if (!pqDSMSteeringStatus::same(value, this->value()))
  {
    this->SettingValue = true;
    this->showValue(value);
    this->SettingValue = false;
  }
}

void pqDSMSteeringField::edit(const QJsonValue& value)
{
  this->setValue(value);
  this->emitEdited();
}

void pqDSMSteeringField::emitEdited()
{
  if (!this->SettingValue)
  {
    Q_EMIT this->edited();
  }
}
