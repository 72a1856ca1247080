// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHelp_h
#define pqDSMHelp_h

#include <QObject>

/// Adds the plugin's pages to ParaView's help, from the file that the build makes of the
/// server-manager XML and lays beside the plugin. Without the file there is no page, and no error.
class pqDSMHelp : public QObject
{
  Q_OBJECT
  using Superclass = QObject;

public:
  explicit pqDSMHelp(QObject* parent = nullptr);

  void startup();
  void shutdown() {}
};

#endif
