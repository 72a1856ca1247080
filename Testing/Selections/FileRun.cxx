// SPDX-License-Identifier: BSD-3-Clause
#include "FileRun.h"

#include "Driver/TransferProperty.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <span>
#include <utility>

namespace selections
{

namespace
{

constexpr std::uint8_t Untouched = 0xc5;
constexpr std::size_t MostComplaints = 10;
constexpr std::uintmax_t LongFile = 16 << 20; ///< longer than any case's

/// An HDF5 identifier that is closed with its scope.
class Id
{
public:
  Id(hid_t id, herr_t (*close)(hid_t))
    : Value(id)
    , Close(close)
  {
  }
  ~Id()
  {
    if (this->Value >= 0)
    {
      this->Close(this->Value);
    }
  }
  Id(Id&& other) noexcept
    : Value(std::exchange(other.Value, H5I_INVALID_HID))
    , Close(other.Close)
  {
  }
  Id(const Id&) = delete;
  Id& operator=(const Id&) = delete;
  operator hid_t() const { return this->Value; }

private:
  hid_t Value;
  herr_t (*Close)(hid_t);
};

/// The descriptions on HDF5's error stack, innermost last.
std::string Reasons()
{
  std::string reasons;
  H5Ewalk2(
    H5E_DEFAULT, H5E_WALK_DOWNWARD,
    [](unsigned, const H5E_error2_t* error, void* text) -> herr_t
    {
      *static_cast<std::string*>(text) +=
        fmt::format("\n      {}: {}", error->func_name, error->desc);
      return 0;
    },
    &reasons);
  return reasons;
}

/// In memory, or in the file.
Id MakeType(const ElementType& type, bool inFile)
{
  if (!type.Integer)
  {
    return { H5Tcreate(H5T_OPAQUE, type.Size), H5Tclose };
  }
  const hid_t made = H5Tcopy(H5T_STD_U8LE);
  H5Tset_size(made, type.Size);
  H5Tset_precision(made, type.Size * 8);
  if (type.Size > 1)
  {
    H5Tset_order(made, inFile && type.Swapped ? H5T_ORDER_BE : H5T_ORDER_LE);
  }
  return { made, H5Tclose };
}

Id MakeCreation(const DatasetPlan& plan, hid_t type)
{
  const hid_t made = H5Pcreate(H5P_DATASET_CREATE);
  H5Pset_obj_track_times(made, false); // so that equal files have equal bytes
  if (!plan.Chunk.empty())
  {
    H5Pset_chunk(made, static_cast<int>(plan.Chunk.size()), plan.Chunk.data());
    H5Pset_chunk_opts(made, plan.WholeEdge ? H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS : 0);
  }
  if (plan.Shuffle)
  {
    H5Pset_shuffle(made);
  }
  if (plan.Deflate)
  {
    H5Pset_deflate(made, 1);
  }
  if (plan.Checksum)
  {
    H5Pset_fletcher32(made);
  }
  H5Pset_alloc_time(made, plan.Allocation);
  H5Pset_fill_time(made, plan.FillTime);
  if (plan.Fill != FillValue::Default)
  {
    const std::vector<std::uint8_t> fill = FillBytes(plan);
    H5Pset_fill_value(made, type, plan.Fill == FillValue::Undefined ? nullptr : fill.data());
  }
  return { made, H5Pclose };
}

Id MakeTransfer(const Step& step, bool collective)
{
  const hid_t made = H5Pcreate(H5P_DATASET_XFER);
  H5Pset_dxpl_mpio(made, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
  if (collective && step.IndividualIo)
  {
    H5Pset_dxpl_mpio_collective_opt(made, H5FD_MPIO_INDIVIDUAL_IO);
  }
  H5Pset_selection_io(made, step.SelectionIo);
  dsm::SetTransferMode(made, step.Mode);
  return { made, H5Pclose };
}

Place PlaceOf(hsize_t element, const Place& extent)
{
  Place place(extent.size());
  for (std::size_t d = extent.size(); d-- > 0;)
  {
    place[d] = element % extent[d];
    element /= extent[d];
  }
  return place;
}

}

/// What a rank moves of one dataset: its memory, and where in it each element is.
struct FileRun::Buffer
{
  Buffer(const Part& part, hsize_t size)
    : Mine(part)
    , Size(size)
    , InFile(part.File.Elements())
    , InMemory(part.MemoryAsFile ? this->InFile : part.Memory.Elements())
    , Bytes(ElementsOf(part.MemoryAsFile ? part.File.Extent : part.Memory.Extent) * size, Untouched)
  {
  }

  std::uint8_t* At(std::size_t i) { return this->Bytes.data() + this->InMemory[i] * this->Size; }
  const std::uint8_t* At(std::size_t i) const
  {
    return this->Bytes.data() + this->InMemory[i] * this->Size;
  }

  const Part& Mine;
  std::size_t Size;
  std::vector<hsize_t> InFile;
  std::vector<hsize_t> InMemory;
  std::vector<std::uint8_t> Bytes;
};

/// The file while a session has it open. Every rank makes the same calls, also after one failed.
class FileRun::OpenSession
{
public:
  OpenSession(
    FileRun& owner, const Session& session, const std::string& name, hid_t access, MPI_Comm comm)
    : Owner(owner)
    , Comm(comm)
    , Name(name)
    , IsLengthened(owner.Where != Storage::Memory && !session.ReadOnly)
    , File(this->Open(session, access))
  {
    MPI_Comm_rank(comm, &this->Rank);
    if (this->IsOpen())
    {
      this->Lengthen();
    }
  }
  ~OpenSession()
  {
    if (this->IsOpen())
    {
      H5Fclose(this->File);
    }
  }
  OpenSession(const OpenSession&) = delete;
  OpenSession& operator=(const OpenSession&) = delete;

  bool IsOpen() const { return this->File >= 0; }

  void Create(const DatasetPlan& plan)
  {
    const Id type = MakeType(plan.Type, true);
    const Id space(H5Screate_simple(static_cast<int>(plan.Extent.size()), plan.Extent.data(),
                     plan.Chunk.empty() ? nullptr : plan.Most.data()),
      H5Sclose);
    const Id memory = MakeType(plan.Type, false);
    const Id creation = MakeCreation(plan, memory);
    const hid_t set =
      H5Dcreate2(this->File, plan.Name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    this->Owner.Require(set, "H5Dcreate2");
    this->Owner.Require(H5Dclose(set), "H5Dclose");
  }

  void Do(const Step& step)
  {
    switch (step.What)
    {
      case Action::Flush:
        this->Owner.Require(H5Fflush(this->File, H5F_SCOPE_GLOBAL), "H5Fflush");
        this->Lengthen(); // it is as long as HDF5 has it now
        break;
      case Action::Resize:
      {
        const Id set = this->Dataset(step.Dataset);
        this->Owner.Require(H5Dset_extent(set, step.Extent.data()), "H5Dset_extent");
        break;
      }
      case Action::Write:
      case Action::Read:
        this->Transfer(step);
        break;
    }
    // What one rank writes others may read or write again in the next step.
    MPI_Barrier(this->Comm);
  }

  void Close()
  {
    this->Owner.Require(H5Fclose(std::exchange(this->File, H5I_INVALID_HID)), "H5Fclose");
    // HDF5 does so itself, but for a file that is still as long as when it was opened.
    if (this->IsLengthened && this->Rank == 0 && std::filesystem::file_size(this->Name) == LongFile)
    {
      std::filesystem::resize_file(this->Name, this->Before);
    }
    MPI_Barrier(this->Comm);
  }

private:
  void Lengthen()
  {
    if (!this->IsLengthened)
    {
      return;
    }
    MPI_Barrier(this->Comm);
    if (this->Rank == 0)
    {
      const std::uintmax_t now = std::filesystem::file_size(this->Name);
      if (now != LongFile)
      {
        this->Before = now;
        std::filesystem::resize_file(this->Name, LongFile);
      }
    }
    MPI_Barrier(this->Comm);
  }

  hid_t Open(const Session& session, hid_t access) const
  {
    const Id mine(H5Pcopy(access), H5Pclose);
    const FileSettings& settings = this->Owner.Case.File;
    H5Pset_alignment(mine, settings.AlignmentThreshold, settings.Alignment);
    if (settings.LatestFormat)
    {
      H5Pset_libver_bounds(mine, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    }
    H5Pset_all_coll_metadata_ops(mine, session.CollectiveMetadata);
    H5Pset_coll_metadata_write(mine, session.CollectiveMetadata);
    hid_t file = H5I_INVALID_HID;
    if (session.Create)
    {
      const Id creation(H5Pcreate(H5P_FILE_CREATE), H5Pclose);
      H5Pset_userblock(creation, settings.UserBlock);
      H5Pset_obj_track_times(creation, false); // of the root group
      file = H5Fcreate(this->Name.c_str(), H5F_ACC_TRUNC, creation, mine);
      this->Owner.Require(file, "H5Fcreate"); // before another call forgets why
    }
    else
    {
      file = H5Fopen(this->Name.c_str(), session.ReadOnly ? H5F_ACC_RDONLY : H5F_ACC_RDWR, mine);
      this->Owner.Require(file, "H5Fopen");
    }
    return file;
  }

  Id Dataset(std::size_t index) const
  {
    Id set(
      H5Dopen2(this->File, this->Owner.Case.Datasets[index].Name.c_str(), H5P_DEFAULT), H5Dclose);
    this->Owner.Require(set, "H5Dopen2");
    return set;
  }

  bool IsCollective(const Step& step) const
  {
    const bool needs = step.What == Action::Write &&
      std::any_of(step.Moves.begin(), step.Moves.end(), [&](const DatasetMove& move)
        { return this->Owner.Case.Datasets[move.Dataset].Filtered(); });
    return needs || (step.Collective && this->Owner.Where != Storage::DiskIndependently);
  }

  void Transfer(const Step& step)
  {
    const bool write = step.What == Action::Write;
    std::vector<Id> owned;
    std::vector<hid_t> sets, types, memories, files;
    std::vector<Buffer> buffers;
    std::vector<void*> bytes;
    for (const DatasetMove& move : step.Moves)
    {
      const DatasetPlan& plan = this->Owner.Case.Datasets[move.Dataset];
      const Part& part = move.Parts[static_cast<std::size_t>(this->Rank)];
      const auto keep = [&](Id id) { return hid_t(owned.emplace_back(std::move(id))); };
      sets.push_back(keep(this->Dataset(move.Dataset)));
      types.push_back(keep(MakeType(plan.Type, false)));
      files.push_back(keep(Id(part.File.MakeSpace(), H5Sclose)));
      memories.push_back(
        part.MemoryAsFile ? hid_t(H5S_ALL) : keep(Id(part.Memory.MakeSpace(), H5Sclose)));
      Buffer& buffer = buffers.emplace_back(part, plan.Type.Size);
      for (std::size_t i = 0; write && i < buffer.InFile.size(); ++i)
      {
        WrittenBytes(step.Values, buffer.InFile[i], buffer.At(i), buffer.Size);
      }
    }
    bytes.reserve(buffers.size());
    for (Buffer& buffer : buffers)
    {
      bytes.push_back(buffer.Bytes.data());
    }
    const Id how = MakeTransfer(step, this->IsCollective(step));
    herr_t done = 0;
    if (write)
    {
      std::vector<const void*> sources(bytes.begin(), bytes.end());
      done = sets.size() == 1 ? H5Dwrite(sets[0], types[0], memories[0], files[0], how, sources[0])
                              : H5Dwrite_multi(sets.size(), sets.data(), types.data(),
                                  memories.data(), files.data(), how, sources.data());
    }
    else
    {
      done = sets.size() == 1 ? H5Dread(sets[0], types[0], memories[0], files[0], how, bytes[0])
                              : H5Dread_multi(sets.size(), sets.data(), types.data(),
                                  memories.data(), files.data(), how, bytes.data());
    }
    this->Owner.Require(done, write ? "H5Dwrite" : "H5Dread");
    for (std::size_t i = 0; !write && done >= 0 && i < buffers.size(); ++i)
    {
      this->Owner.Compare(step.Moves[i], buffers[i], this->Rank);
    }
  }

  FileRun& Owner;
  MPI_Comm Comm;
  const std::string& Name;
  const bool IsLengthened;
  std::uintmax_t Before = 0; ///< how long it was
  int Rank = 0;
  hid_t File;
};

FileRun::FileRun(const Plan& plan, Storage where, std::function<void(const std::string&)> at)
  : Case(plan)
  , Where(where)
  , At(std::move(at))
{
  for (const DatasetPlan& dataset : plan.Datasets)
  {
    this->Expected.emplace_back(dataset);
  }
}

void FileRun::Complain(const std::string& what, const std::string& found)
{
  if (this->Wrong.size() < MostComplaints)
  {
    this->Wrong.push_back({ fmt::format("{}: {}", this->Doing, what), found });
    this->At(this->Wrong.back().What); // the others may wait for this rank for ever
  }
}

void FileRun::Require(hid_t result, const std::string& call)
{
  if (result < 0)
  {
    this->Complain(call + " failed:" + Reasons());
  }
}

void FileRun::Imagine(const Step& step)
{
  if (step.What == Action::Resize)
  {
    this->Expected[step.Dataset].Resize(step.Extent);
  }
  if (step.What == Action::Write)
  {
    for (const DatasetMove& move : step.Moves)
    {
      this->Expected[move.Dataset].Write(move, step.Values);
    }
  }
}

void FileRun::Compare(const DatasetMove& move, const Buffer& buffer, int rank)
{
  const Contents& expected = this->Expected[move.Dataset];
  std::vector<bool> mine(buffer.Bytes.size() / buffer.Size);
  std::size_t wrong = 0;
  std::string first;
  std::string found;
  for (std::size_t i = 0; i < buffer.InFile.size(); ++i)
  {
    mine[buffer.InMemory[i]] = true;
    const hsize_t element = buffer.InFile[i];
    if (expected.Knows(element) &&
      std::memcmp(buffer.At(i), expected.Element(element), buffer.Size) != 0 && wrong++ == 0)
    {
      first = fmt::format("[{}]", fmt::join(PlaceOf(element, buffer.Mine.File.Extent), ","));
      found =
        fmt::format(" is {:02x}, not {:02x}", fmt::join(std::span(buffer.At(i), buffer.Size), ""),
          fmt::join(std::span(expected.Element(element), buffer.Size), ""));
    }
  }
  if (wrong > 0)
  {
    this->Complain(fmt::format("rank {} reads {} of {} elements of dataset {} wrong: {}", rank,
                     wrong, buffer.InFile.size(), move.Dataset, first),
      found);
  }
  std::size_t touched = 0;
  for (std::size_t i = 0; i < buffer.Bytes.size(); ++i)
  {
    touched += !mine[i / buffer.Size] && buffer.Bytes[i] != Untouched ? 1 : 0;
  }
  if (touched > 0)
  {
    this->Complain(
      fmt::format("rank {} finds {} bytes of its memory changed that it did not select "
                  "for dataset {}",
        rank, touched, move.Dataset));
  }
}

void FileRun::Do(std::size_t index, const std::string& name, hid_t access, MPI_Comm comm)
{
  const Session& session = this->Case.Sessions[index];
  const auto say = [&](const std::string& what)
  {
    this->Doing = fmt::format("session {}, {}", index, what);
    this->At(this->Doing);
  };
  say(session.Create ? "creating the file" : "opening the file");
  OpenSession open(*this, session, name, access, comm);
  if (!open.IsOpen())
  {
    this->Skip(index);
    return;
  }
  for (const std::size_t dataset : session.Creates)
  {
    say("creating dataset " + std::to_string(dataset));
    open.Create(this->Case.Datasets[dataset]);
  }
  for (std::size_t i = 0; i < session.Steps.size(); ++i)
  {
    say(fmt::format("step {}", i));
    open.Do(session.Steps[i]);
    this->Imagine(session.Steps[i]);
  }
  say("closing the file");
  open.Close();
}

void FileRun::Skip(std::size_t index)
{
  for (const Step& step : this->Case.Sessions[index].Steps)
  {
    this->Imagine(step);
  }
}

}
