// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMReadAsWidget_h
#define pqDSMReadAsWidget_h

#include <QWidget>

class vtkSMProxy;
class QComboBox;

/// The choice how a reader reads its file: automatically, or as one of the kinds of its property
/// ReadAs.
class pqDSMReadAsWidget : public QWidget
{
  Q_OBJECT
  using Superclass = QWidget;

public:
  explicit pqDSMReadAsWidget(QWidget* parent);

  /// Shows the value of a reader, which may be null. The widget is hidden if there is no choice.
  void show(vtkSMProxy* reader);

Q_SIGNALS:
  /// The user has chosen this value of ReadAs.
  void chosen(const QString& value);

private:
  QComboBox* Kinds;
};

#endif
