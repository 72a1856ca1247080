// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSeparateChoice_h
#define pqDSMSeparateChoice_h

class vtkSMProxy;

/// The user's choice to keep data in host processes of their own (the property Separate), from one
/// ParaView to the next.
namespace pqDSMSeparateChoice
{
/// Remembers what the user has chosen for this proxy.
void remember(vtkSMProxy* server);

/// Makes the remembered choice that of a new proxy.
void apply(vtkSMProxy* server);
}

#endif
