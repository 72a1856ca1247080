// SPDX-License-Identifier: BSD-3-Clause
#ifdef DSM_WITH_PYTHON
#  include <vtkPython.h> // must be the first

#  include <vtkPythonInterpreter.h>
#  include <vtkSmartPyObject.h>
#endif

#include "pqDSMComparison.h"

#include "pqDSMTrace.h"

#include <pqApplicationCore.h>
#include <pqUndoStack.h>

#include <QObject>

bool pqDSMComparison::isPattern(const QString& pattern)
{
  return pattern.contains('@');
}

QString pqDSMComparison::pattern(const pqDSMStreams::Group& group)
{
  return QString("%1@%2").arg(group.Stream).arg(group.Run);
}

#ifdef DSM_WITH_PYTHON

namespace
{
// The variables of this script, which nobody else sees.
constexpr const char* Names = "_dsm_comparison";

// Runs code in the script's own namespace; what is wrong is in its variable `said`.
QString Run(const QString& code)
{
  const QString script = QString("def %1():\n"
                                 "    try:\n"
                                 "        %2\n"
                                 "    except Exception as error:\n"
                                 "        return str(error) or type(error).__name__\n"
                                 "    return ''\n"
                                 "%1.said = %1()\n")
                           .arg(Names, code);
  if (vtkPythonInterpreter::RunSimpleString(script.toUtf8().constData()) != 0)
  {
    return QObject::tr("cannot compare: ParaView's Python failed. See View > Output Messages");
  }
  const vtkPythonScopeGilEnsurer lock;
  PyObject* main = PyImport_AddModule("__main__"); // borrowed
  const vtkSmartPyObject function(main ? PyObject_GetAttrString(main, Names) : nullptr);
  const vtkSmartPyObject said(function ? PyObject_GetAttrString(function, "said") : nullptr);
  const char* text = said ? PyUnicode_AsUTF8(said) : nullptr;
  PyErr_Clear();
  return text ? QString::fromUtf8(text)
              : QObject::tr("cannot compare: ParaView's Python did not reply");
}
}

bool pqDSMComparison::isPossible()
{
  return true;
}

QString pqDSMComparison::show(const QString& contactPath, const pqDSMStreams::Group& one,
  const QString& oneTitle, const pqDSMStreams::Group& other, const QString& otherTitle)
{
  const QString what = QString("%1, %2, titles=(%3, %4)")
                         .arg(pqDSMTrace::quoted(pattern(one)), pqDSMTrace::quoted(pattern(other)),
                           pqDSMTrace::quoted(oneTitle), pqDSMTrace::quoted(otherTitle));
  QString error;
  SCOPED_UNDO_EXCLUDE(); // to undo new views together with what they show, ParaView crashes
  pqDSMTrace::compare(contactPath, what,
    [&]
    {
      error = Run(QString("import sys\n"
                          "        sys.path.append(%1)\n"
                          "        import paraviewdsm\n"
                          "        paraviewdsm.server(%2).compare(%3)")
          .arg(pqDSMTrace::quoted(pqDSMTrace::packageFolder()), pqDSMTrace::quoted(contactPath),
            what));
      return error.isEmpty();
    });
  return error;
}

#else

bool pqDSMComparison::isPossible()
{
  return false;
}

QString pqDSMComparison::show(const QString&, const pqDSMStreams::Group&, const QString&,
  const pqDSMStreams::Group&, const QString&)
{
  return QObject::tr("cannot compare: this ParaView has no Python");
}

#endif
