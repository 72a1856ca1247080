// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMPythonStates_h
#define pqDSMPythonStates_h

#include <vtkSmartPointer.h> // For vtkSmartPointer

class vtkObject;

/// Lets Python states (File > Save State as .py) have the server, which ParaView's generator knows
/// nothing of: when ParaView's Python begins, which is long after the panel, it gets the part of
/// the package that extends the generator. Starts no Python by itself, which takes long.
class pqDSMPythonStates
{
public:
  pqDSMPythonStates();
  ~pqDSMPythonStates();

  pqDSMPythonStates(const pqDSMPythonStates&) = delete;
  void operator=(const pqDSMPythonStates&) = delete;

private:
  void install();

  vtkSmartPointer<vtkObject> Interpreter;
};

#endif
