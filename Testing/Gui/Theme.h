// SPDX-License-Identifier: BSD-3-Clause
#ifndef Theme_h
#define Theme_h

/// The window in dark colours, and in those that it came with.
namespace Theme
{
void Dark();
void Light();
}

#endif
