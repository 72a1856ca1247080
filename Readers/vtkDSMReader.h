// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMReader
 * @brief   Reads what a running simulation writes into distributed shared memory.
 *
 * The source of the proxy DSMReader. It asks the server of a contact file for the snapshots in its
 * ring, and their times are its time steps. Without a time, or with one that no snapshot has (any
 * more), it reads the newest snapshot; of a stream, between two times, the earlier one. With
 * Snapshot set it reads that one and has no time steps. With FixedTime set it reads the snapshot of
 * that time, whatever time is asked for.
 *
 * New snapshots are found when the pipeline asks for information, and by Refresh, which marks the
 * reader modified on all ranks if there are any. Rank 0 asks the server and broadcasts the list, so
 * that all ranks read the same snapshot.
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

  /// Whether this reader is for that file, in ParaView's file dialog: it is a contact file.
  int CanReadFile(const char* name) override;

  ///@{
  /// The number of the snapshot to read; 0: by time, else the newest.
  void SetSnapshot(vtkIdType number);
  vtkGetMacro(Snapshot, vtkIdType);
  ///@}

  ///@{
  /// A time: only the snapshot of this time that fits FilePattern is read, whatever time is asked
  /// for. So a saved state finds the snapshot in the memory of another server, where it has another
  /// number. If several have this time, Snapshot tells which; else the newest is read. Empty: the
  /// pipeline's time.
  vtkSetStdStringFromCharMacro(FixedTime);
  vtkGetCharFromStdStringMacro(FixedTime);
  ///@}

  /// The files to read, for simulations that write several kinds: a stream, as the server calls it
  /// ("out.#.h5"), of which the last run is read; one run of it ("out.#.h5@2"); or a shell pattern,
  /// or several joined by ':'.
  /// Arrays of other files are forgotten.
  void SetFilePattern(const char* pattern);
  vtkGetCharFromStdStringMacro(FilePattern);

  ///@{
  /// Another such pattern: only what has a time that is there as well is read, so that two readers
  /// which have each other's here show the same time, whatever time is asked for. Empty: all.
  vtkSetStdStringFromCharMacro(OnlyTimesOf);
  vtkGetCharFromStdStringMacro(OnlyTimesOf);
  ///@}

  /// Collective: asks whether the server has new snapshots, which is cheap. If so, the newest is
  /// held in the ring until the next update, which must follow at once. With FixedTime set, looks
  /// for its snapshot until that was found.
  void Refresh();

  /// Collective: updates ListedSnapshots, ListedTimes and the pipeline's time steps: what has come
  /// while another snapshot stays in the picture, which is not read again.
  void ListTimes();

  ///@{
  /// The snapshot that was read last, the simulation's name of its file, and its time. With
  /// Snapshot or FixedTime set, they are known when the pipeline has its information.
  vtkGetMacro(ShownSnapshot, vtkIdType);
  vtkGetCharFromStdStringMacro(ShownFile);
  vtkGetMacro(ShownTime, double);
  ///@}

  ///@{
  /// The snapshots in the list, oldest first, and the time of each.
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
  std::size_t PartsOf(const std::string& name) override;
  void WithPart(const std::string& name, std::size_t part, const ReadPart& read) override;
  bool TimeOf(const std::string& name, double& time) override;
  std::vector<double> TimeSteps(const std::vector<double>& steps) override;
  bool ChoosesStep() override;
  std::string SimulatedName(const std::string& name) override;
  bool MayVanish() override;

private:
  bool ShowsOne() const { return this->Snapshot != 0 || !this->FixedTime.empty(); }

  std::string ContactFile;
  vtkIdType Snapshot = 0;
  std::string FixedTime;
  std::string FilePattern;
  std::string OnlyTimesOf;
  vtkIdType ShownSnapshot = 0;
  std::string ShownFile;
  double ShownTime = 0;

  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
