// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMReadSettings_h
#define pqDSMReadSettings_h

#include <vector>

class vtkSMProxy;

/// The properties of a DSMReader by which a user says how its files are to be read.
class pqDSMReadSettings
{
public:
  /// Returns their names.
  static const std::vector<const char*>& names();
  /// Returns whether the reader finds out everything by itself.
  static bool areDefault(vtkSMProxy* reader);
};

#endif
