// SPDX-License-Identifier: BSD-3-Clause
#include "Memory/NodeMemory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace
{

constexpr std::uint64_t MiB = UINT64_C(1) << 20;

/// A machine's /proc and /sys, as far as they tell of memory.
class NodeMemory : public testing::Test
{
protected:
  void SetUp() override
  {
    this->Write("/proc/meminfo", "MemTotal: 9999999 kB\nMemAvailable: 1024000 kB\n");
  }
  void TearDown() override { std::filesystem::remove_all(this->Root); }

  void Write(const std::string& path, const std::string& text) const
  {
    const std::filesystem::path file = this->Root + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  void Limit(const std::string& group, std::uint64_t limit, std::uint64_t used) const
  {
    this->Write("/sys/fs/cgroup" + group + "/memory.max", std::to_string(limit * MiB));
    this->Write("/sys/fs/cgroup" + group + "/memory.current", std::to_string(used * MiB));
  }

  std::uint64_t Available() const { return dsm::AvailableMemory(this->Root) / MiB; }

  const std::string Root = testing::TempDir() + "dsm-node-memory." + std::to_string(getpid());
};

TEST_F(NodeMemory, IsWhatTheSystemHas)
{
  EXPECT_EQ(this->Available(), 1000u);
  this->Write("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(this->Available(), 1000u);
}

TEST_F(NodeMemory, IsWhatTheJobsOwnGroupLeaves)
{
  this->Write("/proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  this->Write("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
  this->Limit("/slurm/job_7", 500, 100);
  this->Limit("/slurm", 800, 700);
  EXPECT_EQ(this->Available(), 100u) << "groups above count as well";
  this->Limit("/slurm", 2000, 700);
  EXPECT_EQ(this->Available(), 400u);
  this->Write("/sys/fs/cgroup/slurm/job_7/memory.stat",
    "anon 1\ninactive_file " + std::to_string(60 * MiB) + "\nslab 3\n");
  EXPECT_EQ(this->Available(), 460u) << "cached files go when memory is wanted";
  this->Limit("/slurm/job_7", 500, 600);
  EXPECT_EQ(this->Available(), 0u);
}

TEST_F(NodeMemory, KnowsTheOlderKindOfGroups)
{
  this->Write("/proc/self/cgroup", "5:cpu,cpuacct:/job\n4:memory:/job\n0::/\n");
  this->Write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", std::to_string(300 * MiB));
  this->Write("/sys/fs/cgroup/memory/job/memory.usage_in_bytes", std::to_string(50 * MiB));
  EXPECT_EQ(this->Available(), 250u);
}

TEST_F(NodeMemory, WhatMayBePinnedIsTheProcesssLimit)
{
  EXPECT_EQ(dsm::LockableMemory(this->Root), ~UINT64_C(0)) << "no such limit on this system";
  this->Write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
  const std::string head =
    "Limit                     Soft Limit           Hard Limit           Units\n";
  this->Write("/proc/self/limits",
    head + "Max locked memory         8388608              16777216             bytes\n");
  EXPECT_EQ(dsm::LockableMemory(this->Root), 8 * MiB);
  this->Write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000004000\n");
  EXPECT_EQ(dsm::LockableMemory(this->Root), ~UINT64_C(0)) << "CAP_IPC_LOCK";
  this->Write("/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
  this->Write("/proc/self/limits",
    head + "Max locked memory         unlimited            unlimited            bytes\n");
  EXPECT_EQ(dsm::LockableMemory(this->Root), ~UINT64_C(0));
}

}
