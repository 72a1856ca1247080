// SPDX-License-Identifier: BSD-3-Clause
#ifndef pqDSMSampledArray_h
#define pqDSMSampledArray_h

#include <QJsonObject>
#include <QPointer>
#include <QString>

#include <vtkSMProxy.h>      // For vtkSmartPointer to one
#include <vtkSmartPointer.h> // For vtkSmartPointer

class pqOutputPort;
class pqServer;

/// An array for a simulation, taken from the data of a pipeline: the proxy DSMSampledArray.
class pqDSMSampledArray
{
public:
  /// Names the data and the places of the values.
  struct Choice
  {
    QPointer<pqOutputPort> Source;
    int Association = 0;         ///< of vtkDataObject::AttributeTypes
    QString Array;               ///< empty: 1 where the source has data
    QPointer<pqOutputPort> Grid; ///< gives the places if values are resampled
    double Outside = 0;          ///< the value of places where the source has no data
  };

  /// `hosts` is the proxy DSMServer, which must outlive this.
  pqDSMSampledArray(
    pqServer* server, vtkSMProxy* hosts, const QString& program, const QString& parameter);

  /// Takes the values at the time that ParaView shows. Returns why that failed; empty: it did not.
  QString sample(const Choice& choice);
  /// Returns how the values were taken, their range and picture, and those of their difference to
  /// the array that the simulation has: see Description of the proxy.
  const QJsonObject& description() const { return this->Description; }

  /// Puts the values into the hosts' memory. Returns why that failed; empty: it did not.
  QString store();
  /// Returns what the simulation's parameter is to be set to.
  const QString& stored() const { return this->Stored; }

  /// Returns the same as a call for scripts, behind "dsm." or a program's Steering.
  static QString traced(const QString& parameter, const Choice& choice);

private:
  QString run(const char* command, const char* result, QString& text);

  QPointer<pqServer> Server;
  vtkSmartPointer<vtkSMProxy> Proxy;
  QJsonObject Description;
  QString Stored;
};

#endif
