// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFoundSettings_h
#define pqDSMFoundSettings_h

class vtkSMProxy;

/// The settings of memory that Start found in processes of its own: they hold for the server
/// already, and the proxy, in whose properties the panel shows them, takes them over.
namespace pqDSMFoundSettings
{
/// Those of the information property SettingsInForce, as the proxy fetched it last.
void take(vtkSMProxy* proxy);
}

#endif
