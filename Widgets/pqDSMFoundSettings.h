// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMFoundSettings_h
#define pqDSMFoundSettings_h

class vtkSMProxy;

/// The settings of memory that Start found in processes of its own: they hold for the server
/// already, and the proxy, in whose properties the panel shows them, takes them over.
namespace pqDSMFoundSettings
{
/// Of the status that the proxy fetched last.
void take(vtkSMProxy* proxy);
}

#endif
