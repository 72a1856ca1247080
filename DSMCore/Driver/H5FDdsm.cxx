// SPDX-License-Identifier: BSD-3-Clause
#include "Driver/H5FDdsm.h"

#include "Base/Environment.h"
#include "Base/Error.h"
#include "Driver/AccessInfo.h"
#include "Driver/AtomicMode.h"
#include "Driver/Callbacks.h"
#include "Driver/DatasetWatch.h"
#include "Driver/DeviceTransfers.h"
#include "Driver/ErrorStack.h"
#include "Driver/Hdf5Library.h"
#include "Driver/OpenFiles.h"
#include "Driver/RenamedFile.h"
#include "Driver/SingleProcessProperty.h"
#include "Driver/TimedFiles.h"
#include "Driver/TransferProperty.h"
#include "Mpi/Communicator.h"
#include "Mpi/Info.h"
#include "Peer/Connections.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include <dlfcn.h>

namespace
{
// The driver's identifiers belong to the process's HDF5, which lives once.
hid_t DriverIdentifier = H5I_INVALID_HID;
hid_t StandInIdentifier = H5I_INVALID_HID;
hid_t DriverBeforeDefault = H5I_INVALID_HID;

/// The driver where it is asked for as H5FD_MPIO, under a name and identifier of its own: programs
/// ask whether a file's driver is H5FD_MPIO, and take one that is for a parallel file.
const H5FD_class_t& StandInClass()
{
  static const H5FD_class_t made = []
  {
    H5FD_class_t table = dsm::DriverClass();
    table.name = "dsm-mpio";
    return table;
  }();
  return made;
}

/// It is registered more than once, as a plugin as well.
bool IsDsm(hid_t driver)
{
  const H5FD_class_t* table = dsm::hdf5library::ClassOf(driver);
  return driver == DriverIdentifier || (table && table->open == dsm::DriverClass().open);
}

constexpr std::array<std::pair<H5FD_dsm_transfer_t, dsm::TransferMode>, 4> Modes{ {
  { H5FD_DSM_TRANSFER_AUTO, dsm::TransferMode::Automatic },
  { H5FD_DSM_TRANSFER_INDEPENDENT, dsm::TransferMode::Independent },
  { H5FD_DSM_TRANSFER_DATATYPE, dsm::TransferMode::Datatype },
  { H5FD_DSM_TRANSFER_COLLECTIVE, dsm::TransferMode::Collective },
} };

dsm::TransferMode FromC(H5FD_dsm_transfer_t transfer)
{
  for (const auto& [theirs, ours] : Modes)
  {
    if (theirs == transfer)
    {
      return ours;
    }
  }
  throw dsm::Error(
    dsm::Fault::Usage, "there is no H5FD_dsm_transfer_t of {}", static_cast<int>(transfer));
}
#ifdef H5_HAVE_PARALLEL
dsm::OpenMemoryFile& InMemory(hid_t file)
{
  dsm::OpenMemoryFile* found = dsm::openfiles::Find(file);
  if (!found)
  {
    throw dsm::Error(dsm::Fault::Usage, "this is no file in memory");
  }
  return *found;
}
#endif

/// Answers HDF5's question for its default driver as long as this lives; null: with none.
class DriverVariable
{
public:
  explicit DriverVariable(const char* value)
    : Before(dsm::environment::Text(Name))
  {
    Set(value);
  }
  ~DriverVariable() { Set(this->Before ? this->Before->c_str() : nullptr); }
  DriverVariable(const DriverVariable&) = delete;
  DriverVariable& operator=(const DriverVariable&) = delete;

private:
  static constexpr const char* Name = "HDF5_DRIVER";

  static void Set(const char* value)
  {
    if (value)
    {
      setenv(Name, value, 1);
    }
    else
    {
      unsetenv(Name);
    }
  }

  std::optional<std::string> Before;
};

/// Registers with DatasetCalls.c, if that is preloaded.
void WatchDatasets()
{
  static bool watches = false;
  using Watch = void (*)(const char*, const DatasetWatch*);
  const auto watch = reinterpret_cast<Watch>(dlsym(RTLD_DEFAULT, "H5FD_dsm_watch"));
  if (watch && !std::exchange(watches, true))
  {
    static DatasetWatch mine{ [](const DatasetTransfer* transfer)
      { return dsm::devicetransfers::MayTransfer(*transfer) ? 1 : 0; }, nullptr };
    if (dsm::environment::Text("DSM_PUBLISH"))
    {
      mine.Written = [](hid_t set, hid_t transfer) { dsm::timedfiles::Written(set, transfer); };
    }
    watch(H5FD_dsm_library(), &mine);
  }
}
}

extern "C"
{

  hid_t H5FD_dsm_init(void)
  {
    if (H5Iget_type(DriverIdentifier) != H5I_VFL)
    {
      DriverIdentifier = H5FDregister(&dsm::DriverClass());
      WatchDatasets();
    }
    return DriverIdentifier;
  }

  hid_t H5FD_dsm_stand_in(void)
  {
    H5FD_dsm_init();
    if (H5Iget_type(StandInIdentifier) != H5I_VFL)
    {
      StandInIdentifier = H5FDregister(&StandInClass());
    }
    dsm::hdf5library::StandInForMpio(StandInIdentifier);
    return StandInIdentifier;
  }

  const H5FD_class_t* H5FD_dsm_class(void)
  {
    return &dsm::DriverClass();
  }

  void H5FD_dsm_leave(void)
  {
    if (dsm::openfiles::AreNone())
    {
      dsm::connections::Leave();
    }
  }

  void H5FD_dsm_note(hid_t place, const char* kind, const char* name)
  {
    // HDF5 reports an identifier without a file itself.
    const hid_t file = H5Iget_type(place) > 0 ? H5Iget_file_id(place) : H5I_INVALID_HID;
    if (file < 0)
    {
      return;
    }
    dsm::OpenMemoryFile* const found = dsm::openfiles::Find(file);
    if (found && found->Shared.Size() > 1 && name)
    {
      found->File->NoteObject(std::string(kind) + ' ' + name);
    }
    H5Fclose(file);
  }

  // A program that ends by _exit() leaves behind dsm-run, whose loader stands in for that.
  __attribute__((constructor)) static void TellLoader()
  {
    using AddCore = void (*)(void (*leave)());
    if (const auto add = reinterpret_cast<AddCore>(dlsym(RTLD_DEFAULT, "DsmAddCore")))
    {
      add(&H5FD_dsm_leave);
    }
  }

  // An HDF5 that was told H5dont_atexit has not ended the connections.
  __attribute__((destructor)) static void LeaveAtExit()
  {
    H5FD_dsm_leave();
  }

  const char* H5FD_dsm_library(void)
  {
    static const std::string path = dsm::hdf5library::Path();
    return path.c_str();
  }

#ifdef H5_HAVE_PARALLEL
  herr_t H5Pset_fapl_dsm(hid_t fapl, MPI_Comm comm, MPI_Info info, const char* contact)
  {
    dsm::errorstack::Prepare();
    return dsm::errorstack::Guard("H5Pset_fapl_dsm", herr_t{ -1 },
      [&]() -> herr_t
      {
        const dsm::AccessInfo access = dsm::AccessInfo::For(contact ? contact : "");
        if (comm != MPI_COMM_NULL && !dsm::hdf5library::SetMpi(fapl, comm, info))
        {
          return -1;
        }
        return H5Pset_driver(fapl, H5FD_dsm_init(), contact ? &access : nullptr);
      });
  }

  herr_t H5Pget_fapl_dsm(
    hid_t fapl, MPI_Comm* comm, MPI_Info* info, char* contact, size_t contactSize)
  {
    dsm::errorstack::Prepare();
    return dsm::errorstack::Guard("H5Pget_fapl_dsm", herr_t{ -1 },
      [&]() -> herr_t
      {
        if (!IsDsm(H5Pget_driver(fapl)))
        {
          throw dsm::Error(dsm::Fault::Usage,
            "this file access list is not for the dsm driver: set it with H5Pset_fapl_dsm first");
        }
        if (contact && contactSize > 0)
        {
          const std::string name = dsm::AccessInfo::Of(fapl).Contact.data();
          const std::size_t length = std::min(name.size(), contactSize - 1);
          std::memcpy(contact, name.data(), length);
          contact[length] = '\0';
        }
        // HDF5 gives both or none; what was not asked for is freed here.
        MPI_Comm foundComm = MPI_COMM_NULL;
        MPI_Info foundInfo = MPI_INFO_NULL;
        if (!dsm::hdf5library::GetMpi(fapl, &foundComm, &foundInfo))
        {
          return -1;
        }
        auto ownedComm = dsm::Communicator::Adopt(comm ? MPI_COMM_NULL : foundComm);
        auto ownedInfo = dsm::Info::Adopt(info ? MPI_INFO_NULL : foundInfo);
        if (comm)
        {
          *comm = foundComm;
        }
        if (info)
        {
          *info = foundInfo;
        }
        return 0;
      });
  }

  herr_t H5Fset_dsm_atomicity(hid_t file, hbool_t on)
  {
    dsm::errorstack::Prepare();
    return dsm::errorstack::Guard("H5Fset_dsm_atomicity", herr_t{ -1 },
      [&]() -> herr_t
      {
        dsm::atomicmode::Set(InMemory(file), on);
        return 0;
      });
  }

  herr_t H5Fget_dsm_atomicity(hid_t file, hbool_t* on)
  {
    dsm::errorstack::Prepare();
    return dsm::errorstack::Guard("H5Fget_dsm_atomicity", herr_t{ -1 },
      [&]() -> herr_t
      {
        *on = InMemory(file).Atomic;
        return 0;
      });
  }

  herr_t H5Pset_dxpl_dsm_single_process(hid_t dxpl, H5FD_dsm_single_process_t how)
  {
    dsm::errorstack::Prepare();
    return dsm::errorstack::Guard("H5Pset_dxpl_dsm_single_process", herr_t{ -1 },
      [&]() -> herr_t
      {
        if (how < H5FD_DSM_SINGLE_PROCESS_OFF || how > H5FD_DSM_SINGLE_PROCESS_UNCHECKED)
        {
          throw dsm::Error(dsm::Fault::Usage,
            "single-process I/O is H5FD_DSM_SINGLE_PROCESS, …_OFF or …_UNCHECKED, and not {}",
            static_cast<int>(how));
        }
        if (how != H5FD_DSM_SINGLE_PROCESS_OFF && H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE) < 0)
        {
          return -1;
        }
        return dsm::SetSingleProcessProperty(dxpl, how) ? 0 : -1;
      });
  }

  herr_t H5Pget_dxpl_dsm_single_process(hid_t dxpl, H5FD_dsm_single_process_t* how)
  {
    dsm::errorstack::Prepare();
    return dsm::errorstack::Guard("H5Pget_dxpl_dsm_single_process", herr_t{ -1 },
      [&]() -> herr_t
      {
        if (H5Pisa_class(dxpl, H5P_DATASET_XFER) <= 0)
        {
          throw dsm::Error(dsm::Fault::Usage, "this is no transfer property list");
        }
        *how = dsm::SingleProcessProperty(dxpl);
        return 0;
      });
  }
#endif

  herr_t H5Pset_dxpl_dsm_transfer(hid_t dxpl, H5FD_dsm_transfer_t transfer)
  {
    dsm::errorstack::Prepare();
    return dsm::errorstack::Guard("H5Pset_dxpl_dsm_transfer", herr_t{ -1 },
      [&]() -> herr_t
      {
        dsm::SetTransferMode(dxpl, FromC(transfer));
        return 0;
      });
  }

  herr_t H5Pget_dxpl_dsm_transfer(hid_t dxpl, H5FD_dsm_transfer_t* transfer)
  {
    dsm::errorstack::Prepare();
    return dsm::errorstack::Guard("H5Pget_dxpl_dsm_transfer", herr_t{ -1 },
      [&]() -> herr_t
      {
        const auto mode = dsm::TransferModeOf(dxpl).value_or(dsm::TransferMode::Automatic);
        *transfer = std::find_if(Modes.begin(), Modes.end(),
          [mode](const auto& pair)
          {
            return pair.second == mode;
          })->first;
        return 0;
      });
  }

  int H5FD_dsm_has(hid_t file)
  {
    return dsm::openfiles::Find(file) ? 1 : 0;
  }

  void H5FD_dsm_renamed(const char* name)
  {
    dsm::TellRenamed(name);
  }

  herr_t H5FD_dsm_set_default(void)
  {
    dsm::errorstack::Prepare();
    const hid_t now = H5Pget_driver(H5P_FILE_ACCESS_DEFAULT);
    if (!IsDsm(now))
    {
      DriverBeforeDefault = now;
    }
    const hid_t dsm = H5FD_dsm_init();
    const DriverVariable variable("dsm");
    if (dsm::hdf5library::AskForDefaultDriver())
    {
      return 0;
    }
    return IsDsm(now) ? 0 : H5Pset_driver(H5P_FILE_ACCESS_DEFAULT, dsm, nullptr);
  }

  herr_t H5FD_dsm_unset_default(void)
  {
    if (!IsDsm(H5Pget_driver(H5P_FILE_ACCESS_DEFAULT)) ||
      H5Iget_type(DriverBeforeDefault) != H5I_VFL)
    {
      return 0;
    }
    const DriverVariable variable(nullptr);
    dsm::hdf5library::AskForDefaultDriver();
    return H5Pset_driver(H5P_FILE_ACCESS_DEFAULT, DriverBeforeDefault, nullptr);
  }
}
