// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMReader
 * @brief   Shows what a running simulation wrote into distributed shared memory.
 *
 * The source behind the proxy DSMReader. It asks the server of a contact file for the snapshots in
 * its ring and offers their times; a time that it does not offer, or no more, or none, shows the
 * newest snapshot. With Snapshot set it shows that one, and says nothing of times.
 *
 * New snapshots are found whenever the pipeline asks for information, and by Refresh, which marks
 * the reader modified on all ranks when there are any. Rank 0 asks the server and tells the others,
 * so that all ranks read the same snapshot.
 */
#ifndef vtkDSMReader_h
#define vtkDSMReader_h

#include "vtkDSMFileReader.h"

class vtkDoubleArray;
class vtkIdTypeArray;

class VTKDSMREADERS_EXPORT vtkDSMReader : public vtkDSMFileReader
{
public:
  static vtkDSMReader* New();
  vtkTypeMacro(vtkDSMReader, vtkDSMFileReader);
  vtkDSMReader(const vtkDSMReader&) = delete;
  void operator=(const vtkDSMReader&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

  /// The server's contact file.
  vtkSetStdStringFromCharMacro(ContactFile);
  vtkGetCharFromStdStringMacro(ContactFile);

  /// Whether ParaView's file dialog should open a file with this reader: is it a contact file?
  int CanReadFile(const char* name);

  ///@{
  /// The number of the snapshot to show; 0 follows the newest.
  vtkSetMacro(Snapshot, vtkIdType);
  vtkGetMacro(Snapshot, vtkIdType);
  ///@}

  /// Shell pattern of the files to show, for simulations that write several kinds; several may be
  /// joined by ':'.
  vtkSetStdStringFromCharMacro(FilePattern);
  vtkGetCharFromStdStringMacro(FilePattern);

  /// On all ranks: looks whether the server has new snapshots. Cheap. If so, the newest is kept in
  /// the ring for the update that is to follow at once.
  void Refresh();

  ///@{
  /// The snapshot that was shown last, the file it was, and the time it stands for. With Snapshot
  /// set, known as soon as the pipeline has its information.
  vtkGetMacro(ShownSnapshot, vtkIdType);
  vtkGetCharFromStdStringMacro(ShownFile);
  vtkGetMacro(ShownTime, double);
  ///@}

  ///@{
  /// The snapshots that could be shown, oldest first, and the time of each, as the pipeline's
  /// information has them.
  vtkIdTypeArray* GetListedSnapshots();
  vtkDoubleArray* GetListedTimes();
  ///@}

protected:
  vtkDSMReader();
  ~vtkDSMReader() override;

  int RequestDataObject(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestData(vtkInformation*, vtkInformationVector**, vtkInformationVector*) override;
  std::string ChooseFile(const double* requestedTime) override;
  bool TimeOf(const std::string& name, double& time) override;
  std::vector<double> OfferedTimes(const std::vector<double>& steps) override;
  std::string SimulatedName(const std::string& name) override;
  bool MayVanish() override;

private:
  std::string ContactFile;
  vtkIdType Snapshot = 0;
  std::string FilePattern;
  vtkIdType ShownSnapshot = 0;
  std::string ShownFile;
  double ShownTime = 0;

  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
