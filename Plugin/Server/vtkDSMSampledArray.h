// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMSampledArray
 * @brief   An array for a running simulation, taken from the data of a pipeline.
 *
 * The server-side object of the proxy DSMSampledArray. A simulation has declared an array
 * (dsm_array); this takes its values from any data set: as they are where they have the declared
 * shape, else resampled. Commands are collective, as ParaView's proxies call them, and have the
 * same result on all ranks. A command that fails stores the reason in CommandError.
 *
 * Values are taken as they are
 * - from points or cells of an image, a rectilinear or a structured grid, if the grid has the
 *   declared sizes: the last one along x;
 * - from a table, or the points or cells of another data set, if there are as many values, and one
 *   rank has them all: in their order. With more than one component, the last declared size is the
 *   number of components.
 *
 * Otherwise they are resampled (one component only), with VTK's vtkPResampleWithDataSet and
 * vtkPResampleToImage. The second input, or else the first, is the grid that gives the places: its
 * points if it has the declared sizes, the centres of its cells if these have them, or else points
 * that are spread evenly over its bounds. A place where the source has no data gets Outside.
 */
#ifndef vtkDSMSampledArray_h
#define vtkDSMSampledArray_h

#include "vtkDSMPluginModule.h" // For export macro

#include <vtkAlgorithm.h>
#include <vtkWeakPointer.h> // For vtkWeakPointer

#include <functional> // For std::function
#include <memory>     // For std::unique_ptr
#include <string>     // For std::string

class vtkDSMServer;

class VTKDSMPLUGIN_EXPORT vtkDSMSampledArray : public vtkAlgorithm
{
public:
  static vtkDSMSampledArray* New();
  vtkTypeMacro(vtkDSMSampledArray, vtkAlgorithm);
  vtkDSMSampledArray(const vtkDSMSampledArray&) = delete;
  void operator=(const vtkDSMSampledArray&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

  /// The server of the simulation. It must run; it is not kept.
  void SetServer(vtkDSMServer* server);
  ///@{
  /// The simulation (empty: the one that connected last) and its array, by their names. The array
  /// of the source is the input array 0.
  vtkSetStdStringFromCharMacro(Program);
  vtkGetCharFromStdStringMacro(Program);
  vtkSetStdStringFromCharMacro(Parameter);
  vtkGetCharFromStdStringMacro(Parameter);
  ///@}
  ///@{
  /// Says whether the values are 1 where the source has data, in place of those of an array.
  vtkSetMacro(Coverage, int);
  vtkGetMacro(Coverage, int);
  /// The value of places where the source has no data. 0 by default.
  vtkSetMacro(Outside, double);
  vtkGetMacro(Outside, double);
  ///@}
  ///@{
  /// The time of the data, if HasTime is on; else what the inputs show now.
  vtkSetMacro(Time, double);
  vtkGetMacro(Time, double);
  vtkSetMacro(HasTime, int);
  vtkGetMacro(HasTime, int);
  ///@}

  /// Takes the values: see Description.
  void Sample();
  /// Stores the values that Sample has taken in the hosts' memory: see Stored.
  void Store();

  ///@{
  /// Why the last command failed; empty if it did not.
  vtkGetCharFromStdStringMacro(CommandError);
  /// Returns as JSON how the values were taken, their range and a small picture, and the same of
  /// their difference to the array sent last.
  vtkGetCharFromStdStringMacro(Description);
  /// The text that the parameter is to be set to.
  vtkGetCharFromStdStringMacro(Stored);
  ///@}

protected:
  vtkDSMSampledArray();
  ~vtkDSMSampledArray() override;

  int FillInputPortInformation(int port, vtkInformation* info) override;
  vtkTypeBool ProcessRequest(
    vtkInformation* request, vtkInformationVector** inputs, vtkInformationVector* outputs) override;

private:
  class vtkInternals;

  void RunCommand(const std::function<void()>& work);

  std::unique_ptr<vtkInternals> Internals;
  vtkWeakPointer<vtkDSMServer> Server;
  std::string Program;
  std::string Parameter;
  int Coverage = 0;
  double Outside = 0;
  double Time = 0;
  int HasTime = 0;

  std::string CommandError;
  std::string Description;
  std::string Stored;
};

#endif
