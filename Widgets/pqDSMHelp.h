// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMHelp_h
#define pqDSMHelp_h

#include <QObject>
#include <QTemporaryDir>

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

private:
  QTemporaryDir Folder; ///< for the list of pages of ParaView's help, where it needs another
};

#endif
