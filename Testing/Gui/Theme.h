// SPDX-License-Identifier: BSD-3-Clause
#ifndef Theme_h
#define Theme_h

/// Sets dark colours in ParaView's window, and the ones with which it was started.
namespace Theme
{
void Dark();
void Light();
}

#endif
