// SPDX-License-Identifier: BSD-3-Clause
/**
 * @class   vtkDSMArchivedFileReader
 * @brief   Reads one file of a series of HDF5 files on disk, with the reader that understands it.
 *
 * A vtkDSMFileReader that ParaView's file dialog finds for the files that a .series names: for any
 * HDF5 file, where the other leaves files on disk to ParaView's own readers.
 */
#ifndef vtkDSMArchivedFileReader_h
#define vtkDSMArchivedFileReader_h

#include "vtkDSMFileReader.h"
#include "vtkDSMReadersModule.h" // For export macro

class VTKDSMREADERS_EXPORT vtkDSMArchivedFileReader : public vtkDSMFileReader
{
public:
  static vtkDSMArchivedFileReader* New();
  vtkTypeMacro(vtkDSMArchivedFileReader, vtkDSMFileReader);
  vtkDSMArchivedFileReader(const vtkDSMArchivedFileReader&) = delete;
  void operator=(const vtkDSMArchivedFileReader&) = delete;

  int CanReadFile(const char* name) override;

protected:
  vtkDSMArchivedFileReader() = default;
  ~vtkDSMArchivedFileReader() override = default;
};

#endif
