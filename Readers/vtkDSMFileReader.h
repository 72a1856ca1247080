// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMFileReader
 * @brief   Reads one HDF5 file, on disk or in memory, with the reader that understands it.
 *
 * A file with a VTKHDF group goes through ParaView's own vtkHDFReader, one with a description in
 * XDMF through its reader for that, anything else through vtkDSMDatasetReader (images) or
 * vtkDSMColumnReader (tables, points); RecognisedAs and RecognisedBecause tell which and why, and
 * ReadAs decides otherwise. The inner reader runs its own little pipeline, and is let go as soon as
 * the data is there: an open file would keep a snapshot in the hosts' memory, and a simulation that
 * waits for room waiting.
 *
 * All ranks agree on what they show before any reads: where one cannot open the file, rank 0 says
 * why, once, and all show nothing (an empty image) until something changes. Returning failure
 * instead would make every rank's pipeline print that its algorithm failed, several times per
 * update. Reading itself is no joint affair: a pipeline may ask some ranks for data and others not.
 */
#ifndef vtkDSMFileReader_h
#define vtkDSMFileReader_h

#include "vtkDSMHdf5Source.h"
#include "vtkDSMReadersModule.h" // For export macro

#include <vtkNew.h> // For vtkNew

#include <memory> // For std::unique_ptr
#include <string> // For std::string
#include <vector> // For std::vector

class vtkDataArraySelection;
class vtkStringArray;

class VTKDSMREADERS_EXPORT vtkDSMFileReader : public vtkDSMHdf5Source
{
public:
  static vtkDSMFileReader* New();
  vtkTypeMacro(vtkDSMFileReader, vtkDSMHdf5Source);
  vtkDSMFileReader(const vtkDSMFileReader&) = delete;
  void operator=(const vtkDSMFileReader&) = delete;
  void PrintSelf(ostream& os, vtkIndent indent) override;

  ///@{
  /// How to understand the file: a dsm::readers::Kind; 0 finds out.
  vtkSetClampMacro(ReadAs, int, 0, 5);
  vtkGetMacro(ReadAs, int);
  ///@}

  ///@{
  /// A description in XDMF, as text, or else the file that has it. It may name the file to show as
  /// the simulation does.
  vtkSetStdStringFromCharMacro(XdmfText);
  vtkGetCharFromStdStringMacro(XdmfText);
  vtkSetStdStringFromCharMacro(XdmfFile);
  vtkGetCharFromStdStringMacro(XdmfFile);
  ///@}

  ///@{
  /// The columns that hold points' coordinates: names of datasets, or the ends of their paths. All
  /// empty: those called x, y, z and the like.
  vtkSetStdStringFromCharMacro(ColumnX);
  vtkGetCharFromStdStringMacro(ColumnX);
  vtkSetStdStringFromCharMacro(ColumnY);
  vtkGetCharFromStdStringMacro(ColumnY);
  vtkSetStdStringFromCharMacro(ColumnZ);
  vtkGetCharFromStdStringMacro(ColumnZ);
  ///@}

  ///@{
  /// Of the file that data was last read of; before any was, or where the file cannot change, of
  /// the one whose information was read: what it was taken for, and why.
  vtkGetCharFromStdStringMacro(RecognisedAs);
  vtkGetCharFromStdStringMacro(RecognisedBecause);
  ///@}

  /// The file's groups and datasets, three entries each: path, type, shape. On rank 0 only.
  vtkStringArray* GetFileContents();

  /// The arrays that it could be read as, two entries each: "point" or "cell", and the name. Others
  /// that one can choose are those of other files. On rank 0 only.
  vtkStringArray* GetFileArrays();

  /// What went wrong in the last update; empty when nothing did.
  vtkGetCharFromStdStringMacro(ErrorText);

  /// On all ranks together, after an update: the first rank's error becomes everybody's. Reading is
  /// each rank's own affair, and a client hears rank 0 only.
  void ShareErrors();

  /// As GetPointDataArraySelection, for arrays of cells.
  vtkDataArraySelection* GetCellDataArraySelection();

  vtkMTimeType GetMTime() override;

protected:
  vtkDSMFileReader();
  ~vtkDSMFileReader() override;

  /// The file to show for a request, which may name a time; empty when there is nothing to show.
  /// Every rank must choose the same. May throw.
  virtual std::string ChooseFile(const double* requestedTime);

  /// What the simulation called a file.
  virtual std::string SimulatedName(const std::string& name);

  /// The time that a file is shown at, when it has one. After ChooseFile.
  virtual bool TimeOf(const std::string& name, double& time);

  /// The times offered to the pipeline, ascending, when the file holds `steps` by itself.
  virtual std::vector<double> OfferedTimes(const std::vector<double>& steps);

  /// Whether the file chosen could be gone later in the same update, so that it is better kept
  /// open.
  virtual bool MayVanish();

  int RequestDataObject(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestInformation(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestData(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;

  /// Collective: says the first rank's error once, and tells whether there was one.
  bool Failed(const std::string& error);

  std::string ErrorText;

private:
  void ShowNothing(vtkInformation* info);

  int ReadAs = 0;
  std::string XdmfText;
  std::string XdmfFile;
  std::string ColumnX;
  std::string ColumnY;
  std::string ColumnZ;
  std::string RecognisedAs;
  std::string RecognisedBecause;
  vtkNew<vtkDataArraySelection> CellArrays;
  vtkNew<vtkStringArray> Contents;
  vtkNew<vtkStringArray> Arrays;
  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
