// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMIcons_h
#define pqDSMIcons_h

#include <QIcon>

/// Where something is written to: pictures that neither Qt nor ParaView has, in the colours of the
/// theme.
namespace pqDSMIcons
{
/// A chip with its pins.
QIcon memory();
/// The platters of a disk, as diagrams have them.
QIcon disk();
}

#endif
