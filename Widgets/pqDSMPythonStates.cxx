// SPDX-License-Identifier: BSD-3-Clause
#include "pqDSMPythonStates.h"

#include "pqDSMTrace.h"

#include <vtkCommand.h>
#include <vtkObject.h>

#include <QByteArray>
#include <QString>

#ifdef DSM_WITH_PYTHON
#  include <vtkPythonInterpreter.h>

pqDSMPythonStates::pqDSMPythonStates()
  : Interpreter(vtkSmartPointer<vtkPythonInterpreter>::New())
{
  if (vtkPythonInterpreter::IsInitialized())
  {
    this->install();
  }
  else
  {
    this->Interpreter->AddObserver(vtkCommand::EnterEvent, this, &pqDSMPythonStates::install);
  }
}

// By its file: to import the package would import all of ParaView's.
void pqDSMPythonStates::install()
{
  const QByteArray script =
    QString("import importlib.util, sys\n"
            "def _dsm_states():\n"
            "    name = 'paraviewdsm._states'\n"
            "    if name not in sys.modules:\n"
            "        spec = importlib.util.spec_from_file_location(\n"
            "            name, %1)\n"
            "        sys.modules[name] = importlib.util.module_from_spec(spec)\n"
            "        spec.loader.exec_module(sys.modules[name])\n"
            "    sys.modules[name].install(window=True)\n"
            "_dsm_states()\n"
            "del _dsm_states\n")
      .arg(pqDSMTrace::quoted(pqDSMTrace::packageFolder() + "/paraviewdsm/_states.py"))
      .toUtf8();
  vtkPythonInterpreter::RunSimpleString(script.constData());
}

#else

// This ParaView saves no Python states.
pqDSMPythonStates::pqDSMPythonStates() = default;
void pqDSMPythonStates::install() {}

#endif

pqDSMPythonStates::~pqDSMPythonStates() = default;
