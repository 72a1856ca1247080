// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSizeWidget_h
#define pqDSMSizeWidget_h

#include "pqDSMComboBoxWidget.h"

#include <QPointer>

#include <limits>

class pqDSMBalloon;

/// The widget of a property that counts bytes ("1.5 GiB"), or something else in large numbers. The
/// XML asks for it by panel_widget="dsm_size", and describes it in a hint:
///
///     <Size unit="1048576" zero="automatic" presets="256 MiB;1 GiB"/>
///
/// The property counts in units of so many bytes (0: plain numbers). `zero` is the word for the
/// value 0. A size needs its unit: of a bare number nobody can know whether bytes, MiB or GiB
/// were meant. The reason why an entry was rejected is shown at the field, with what can be
/// entered, and moves no other field.
class pqDSMSizeWidget : public pqDSMComboBoxWidget
{
  Q_OBJECT
  using Superclass = pqDSMComboBoxWidget;

public:
  pqDSMSizeWidget(vtkSMProxy* proxy, vtkSMProperty* property, QWidget* parent = nullptr);
  ~pqDSMSizeWidget() override;

  QVariant value() const override { return this->Value; }
  void setValue(const QVariant& value) override;

private:
  void finishEdit() override;
  QString text(qlonglong value) const;

  // Sets the value and returns an empty text, or returns why the text is rejected.
  QString parse(const QString& text, qlonglong& value) const;
  QString rejection(const QString& given) const;
  QString tooLarge(const QString& given) const;
  static QString tooSmall(const QString& given, const QString& minimum);

  QPointer<pqDSMBalloon> Rejection;
  qlonglong Unit = 1;
  QString Zero;
  qlonglong Minimum = 0;
  qlonglong Maximum = std::numeric_limits<qlonglong>::max();
  qlonglong Value = 0;
};

#endif
