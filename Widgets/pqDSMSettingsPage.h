// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSettingsPage_h
#define pqDSMSettingsPage_h

#include "pqDSMStatus.h"

#include <QScrollArea>

#include <vtkWeakPointer.h>

class pqProxyWidget;
class QCheckBox;
class QLabel;
class QVBoxLayout;
class vtkSMProxy;

/// The page "Settings": the server's settings, in the widgets that ParaView makes from the XML.
class pqDSMSettingsPage : public QScrollArea
{
  Q_OBJECT
  using Superclass = QScrollArea;

public:
  explicit pqDSMSettingsPage(QWidget* parent);

  /// May be null.
  void setProxy(vtkSMProxy* proxy);
  void show(const pqDSMStatus& status);

Q_SIGNALS:
  /// A setting was changed while the server runs. The reason why it refused the change, or empty.
  void changed(const QString& refusal);

private:
  void apply();

  QVBoxLayout* Column;
  QLabel* Note;
  QLabel* Pending; ///< changes that are not in force yet
  QCheckBox* Advanced;
  pqProxyWidget* Widgets = nullptr;
  bool Running = false;
  vtkWeakPointer<vtkSMProxy> Proxy;
};

#endif
