// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMFileReader
 * @brief   Reads one HDF5 file, on disk or in memory, with the reader that understands it.
 *
 * A file with a VTKHDF group is read by ParaView's vtkHDFReader, any other by DescribedReader: one
 * with a description in XDMF, formats that are known, images, tables and points. RecognisedAs and
 * RecognisedBecause tell which and why; ReadAs chooses another. The internal reader has a pipeline
 * of its own, and is deleted as soon as the data is read: an open file would keep a snapshot in the
 * hosts' memory, while a simulation may be waiting for room.
 *
 * All ranks agree on the file before any of them reads: if one rank cannot open it, rank 0 reports
 * the reason, once, and the output is empty (an empty image) on all ranks until something changes.
 * If RequestData returned a failure, every rank's pipeline would print that its algorithm failed,
 * several times per update. Reading is not collective: a pipeline may request data of some ranks
 * only.
 */
#ifndef vtkDSMFileReader_h
#define vtkDSMFileReader_h

#include "vtkDSMHdf5Source.h"
#include "vtkDSMReadersModule.h" // For export macro

#include <vtkNew.h> // For vtkNew

#include <functional> // For std::function
#include <memory>     // For std::unique_ptr
#include <optional>   // For std::optional
#include <string>     // For std::string
#include <vector>     // For std::vector

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

  /// Whether this reader is for that file, in ParaView's file dialog: it stands for one in memory,
  /// and is a small HDF5 file that ParaView's readers would find empty.
  virtual int CanReadFile(const char* name);

  ///@{
  /// The kind of file, a dsm::readers::Kind; 0: automatic.
  vtkSetClampMacro(ReadAs, int, 0, 5);
  vtkGetMacro(ReadAs, int);
  ///@}

  ///@{
  /// A description in XDMF, as text, or else a file with one. It may refer to the data file by the
  /// simulation's name.
  vtkSetStdStringFromCharMacro(XdmfText);
  vtkGetCharFromStdStringMacro(XdmfText);
  vtkSetStdStringFromCharMacro(XdmfFile);
  vtkGetCharFromStdStringMacro(XdmfFile);
  ///@}

  ///@{
  /// A recipe, as text, or else a file with one: how files of a format look, in JSON (see
  /// Describe/README.md). Comes before all else that says how to read the file.
  vtkSetStdStringFromCharMacro(Recipe);
  vtkGetCharFromStdStringMacro(Recipe);
  vtkSetStdStringFromCharMacro(RecipeFile);
  vtkGetCharFromStdStringMacro(RecipeFile);
  ///@}

  ///@{
  /// What is put in place of what was guessed: see dsm::describe::Overrides. Empty, and ValuesOf 0:
  /// as recognised. ValuesOf 1: values are of points, 2: of cells.
  vtkSetStdStringFromCharMacro(AxisOrder);
  vtkGetCharFromStdStringMacro(AxisOrder);
  vtkSetStdStringFromCharMacro(Origin);
  vtkGetCharFromStdStringMacro(Origin);
  vtkSetStdStringFromCharMacro(Spacing);
  vtkGetCharFromStdStringMacro(Spacing);
  vtkSetClampMacro(ValuesOf, int, 0, 2);
  vtkGetMacro(ValuesOf, int);
  vtkSetStdStringFromCharMacro(TimeFrom);
  vtkGetCharFromStdStringMacro(TimeFrom);
  ///@}

  ///@{
  /// 1: of plain files, groups with numbers for names are not steps; datasets with usual names are
  /// not the coordinates of grids.
  vtkSetClampMacro(StepGroups, int, 0, 1);
  vtkGetMacro(StepGroups, int);
  vtkSetClampMacro(GridCoordinates, int, 0, 1);
  vtkGetMacro(GridCoordinates, int);
  ///@}

  ///@{
  /// The columns with the points' coordinates: names of datasets, or the ends of their paths. All
  /// empty: columns with usual names, such as x, y and z.
  vtkSetStdStringFromCharMacro(ColumnX);
  vtkGetCharFromStdStringMacro(ColumnX);
  vtkSetStdStringFromCharMacro(ColumnY);
  vtkGetCharFromStdStringMacro(ColumnY);
  vtkSetStdStringFromCharMacro(ColumnZ);
  vtkGetCharFromStdStringMacro(ColumnZ);
  ///@}

  ///@{
  /// The kind of the file, and why it was recognised as that. Of the file whose data was read last;
  /// before that, or if the file cannot change, of the file whose information was read.
  vtkGetCharFromStdStringMacro(RecognisedAs);
  vtkGetCharFromStdStringMacro(RecognisedBecause);
  ///@}

  ///@{
  /// Two entries each, on rank 0 only. What was guessed, in words, and the property that sets it,
  /// if there is one; likewise what was set; what is left out, and why.
  vtkStringArray* GetGuesses();
  vtkStringArray* GetSetByUser();
  vtkStringArray* GetLeftOut();
  ///@}

  /// The other readings of what was guessed, four entries each: the guess as in GetGuesses, the
  /// property that selects the other reading, its value, and the reading in words. On rank 0 only.
  vtkStringArray* GetAlternatives();

  /// The file's groups and datasets, three entries each: path, type, shape. On rank 0 only.
  vtkStringArray* GetFileContents();
  /// How the arrays that were read last came into memory, two texts each: the name, and "shared
  /// with the snapshot" or "copied: it is compressed". Of this rank.
  vtkStringArray* GetMemoryOfArrays();

  /// The arrays in the file, two entries each: "point" or "cell", and the name. (The selections may
  /// also have arrays of other files.) On rank 0 only.
  vtkStringArray* GetFileArrays();

  /// The error in the last update; empty if there was none.
  vtkGetCharFromStdStringMacro(ErrorText);

  /// Collective, after an update: the first rank's error becomes the ErrorText of all ranks.
  /// Reading is not collective, and a client gets the ErrorText of rank 0.
  void ShareErrors();

  /// As GetPointDataArraySelection, for arrays of cells.
  vtkDataArraySelection* GetCellDataArraySelection();

  vtkMTimeType GetMTime() override;

protected:
  vtkDSMFileReader();
  ~vtkDSMFileReader() override;

  /// The file to read for a request, which may have a time; empty if there is none. The same on
  /// every rank. May throw.
  virtual std::string ChooseFile(const double* requestedTime);

  /// The simulation's name of a file.
  virtual std::string SimulatedName(const std::string& name);

  /// How many files there are to read in one's place; 0: that one by itself. After ChooseFile.
  virtual std::size_t PartsOf(const std::string& name);

  /// Calls `read` with the name of such a file and the simulation's name of it. Not collective. May
  /// throw.
  using ReadPart = std::function<void(const std::string& name, const std::string& simulated)>;
  virtual void WithPart(const std::string& name, std::size_t part, const ReadPart& read);

  /// Returns whether the settings leave it to the file as what it is read, and where its time is.
  bool IsRecognisedFreely() const;

  /// Finds the time that a list of snapshots has of the open file; none if it has none. Returns
  /// false if it is to be looked for there.
  bool FindTimeForList(std::optional<double>& time) const;

  /// The time of a file, if it has one. After ChooseFile.
  virtual bool TimeOf(const std::string& name, double& time);

  /// The time steps for the pipeline, ascending. `steps` are those in the file.
  virtual std::vector<double> TimeSteps(const std::vector<double>& steps);

  /// Returns whether the pipeline's time chooses a step of a file with several. If not, the file's
  /// last step is read, which is what the simulation has just written.
  virtual bool ChoosesStep();

  /// Whether the file may be gone later in the same update, and is therefore kept open.
  virtual bool MayVanish();

  int RequestDataObject(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestInformation(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;
  int RequestData(
    vtkInformation*, vtkInformationVector**, vtkInformationVector* outputVector) override;

  static void SetTimeSteps(vtkInformation* info, const std::vector<double>& times);

  /// Collective: reports the first rank's error once, and returns whether there was one.
  bool ReportError(const std::string& error);

  std::string ErrorText;

private:
  void SetEmptyInformation(vtkInformation* info);

  int ReadAs = 0;
  std::string XdmfText;
  std::string XdmfFile;
  std::string ColumnX;
  std::string ColumnY;
  std::string ColumnZ;
  std::string Recipe;
  std::string RecipeFile;
  std::string AxisOrder;
  std::string Origin;
  std::string Spacing;
  int ValuesOf = 0;
  std::string TimeFrom;
  int StepGroups = 0;
  int GridCoordinates = 0;
  std::string RecognisedAs;
  std::string RecognisedBecause;
  vtkNew<vtkDataArraySelection> CellArrays;
  vtkNew<vtkStringArray> Contents;
  vtkNew<vtkStringArray> MemoryOfArrays;
  vtkNew<vtkStringArray> Arrays;
  vtkNew<vtkStringArray> Guesses;
  vtkNew<vtkStringArray> Alternatives;
  vtkNew<vtkStringArray> SetByUser;
  vtkNew<vtkStringArray> LeftOut;
  class vtkInternals;
  std::unique_ptr<vtkInternals> Internals;
};

#endif
