// SPDX-License-Identifier: BSD-3-Clause
#include "DriverFixture.h"

#include <array>
#include <string>

namespace
{
int Duplications = 0;
}

// Counts the duplications of this process, HDF5's included.
extern "C" int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* duplicate)
{
  Duplications += 1;
  return PMPI_Comm_dup(comm, duplicate);
}

namespace drivertests
{

class FileCommunicators : public Driver
{
protected:
  hid_t ListOf(MPI_Comm comm) const
  {
    const hid_t list = H5Pcreate(H5P_FILE_ACCESS);
    EXPECT_GE(H5Pset_fapl_dsm(list, comm, MPI_INFO_NULL, this->Contact.c_str()), 0);
    return list;
  }

  // Creates and closes a file. Returns the duplications that HDF5 and the driver made for it.
  int Create(const std::string& name, hid_t list) const
  {
    const int before = Duplications;
    const hid_t file = H5Fcreate(this->Name(name).c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, list);
    EXPECT_GE(file, 0);
    EXPECT_GE(H5Fclose(file), 0);
    return Duplications - before;
  }

  void CoupleWriters(const std::function<void()>& writer)
  {
    this->Couple(writer, [&](LocalServer& server) { this->SaveAll(server); });
  }
};

TEST_F(FileCommunicators, ClosedFileLeavesItsCommunicatorToTheNext)
{
  this->CoupleWriters(
    [&]
    {
      this->Create("first.h5", this->Live);
      EXPECT_EQ(0, this->Create("second.h5", this->Live));
      // A list of its own for each file, as h5py makes them: HDF5 duplicates for the list.
      const hid_t list = this->ListOf(this->PartComm);
      EXPECT_EQ(0, this->Create("third.h5", list));
      H5Pclose(list);
    });
}

TEST_F(FileCommunicators, FilesOpenAtOnceHaveCommunicatorsOfTheirOwn)
{
  this->CoupleWriters(
    [&]
    {
      const int before = Duplications;
      std::array<hid_t, 3> files{};
      for (int round = 0; round < 2; ++round)
      {
        for (std::size_t i = 0; i < files.size(); ++i)
        {
          const std::string name = this->Name("file" + std::to_string(i) + ".h5");
          files[i] = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, this->Live);
          ASSERT_GE(files[i], 0);
        }
        EXPECT_LE(Duplications - before, 3);
        for (const std::size_t i : { 1, 0, 2 })
        {
          EXPECT_GE(H5Fclose(files[i]), 0);
        }
      }
      EXPECT_LE(Duplications - before, 3);
    });
}

TEST_F(FileCommunicators, ProgramFreesItsCommunicatorAndListBeforeTheFileIsClosed)
{
  this->CoupleWriters(
    [&]
    {
      for (int round = 0; round < 3; ++round)
      {
        MPI_Comm comm = MPI_COMM_NULL;
        ASSERT_EQ(MPI_SUCCESS, MPI_Comm_dup(this->PartComm, &comm));
        const hid_t list = this->ListOf(comm);
        const std::string name = this->Name("freed" + std::to_string(round) + ".h5");
        const hid_t file = H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, list);
        ASSERT_GE(file, 0);
        H5Pclose(list);
        MPI_Comm_free(&comm);
        EXPECT_GE(H5Fflush(file, H5F_SCOPE_GLOBAL), 0);
        EXPECT_GE(H5Gclose(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), 0);
        EXPECT_GE(H5Fclose(file), 0);
      }
      patterns::Write(this->Name("after.h5"), this->Live, this->Part, Layout{});
      patterns::Check(this->Name("after.h5"), this->Live, this->Part, Layout{});
    });
}

// The same ranks in another order are not the same ranks: rank 0 is another.
TEST_F(FileCommunicators, FilesOfOtherRanksAndOrdersDoNotMeet)
{
  this->CoupleWriters(
    [&]
    {
      const auto split = [&](int colour, int key)
      {
        MPI_Comm comm = MPI_COMM_NULL;
        EXPECT_EQ(MPI_SUCCESS, MPI_Comm_split(this->PartComm, colour, key, &comm));
        return comm;
      };
      std::array<MPI_Comm, 4> comms{ split(0, this->Part.Rank), split(0, -this->Part.Rank),
        split(this->Part.Rank % 2, this->Part.Rank), split(this->Part.Rank, 0) };
      for (int round = 0; round < 3; ++round)
      {
        for (std::size_t i = 0; i < comms.size(); ++i)
        {
          const Team team = Team::Of(comms[i]);
          int first = this->Part.Rank; // by which files of several groups differ
          MPI_Bcast(&first, 1, MPI_INT, 0, comms[i]);
          const std::string name = this->Name("group" + std::to_string(i) + "." +
            std::to_string(first) + "." + std::to_string(round) + ".h5");
          const hid_t list = this->ListOf(comms[i]);
          patterns::Write(name, list, team, Layout{});
          patterns::Check(name, list, team, Layout{});
          H5Pclose(list);
        }
      }
      for (MPI_Comm& comm : comms)
      {
        MPI_Comm_free(&comm);
      }
    });
}

}
