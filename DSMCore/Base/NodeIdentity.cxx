// SPDX-License-Identifier: BSD-3-Clause
#include "Base/NodeIdentity.h"

#include "Base/Error.h"

#include <array>
#include <cerrno>
#include <fstream>

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace dsm
{

std::string MachineName()
{
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

namespace
{
std::string MachineAndBoot()
{
  std::string machine;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> machine;
  if (machine.empty())
  {
    machine = MachineName();
    if (machine.empty())
    {
      throw Error(Fault::System, "this machine has neither a boot_id in /proc nor a name: {}",
        SystemText(errno));
    }
  }
  return machine;
}
}

std::string NodeIdentity()
{
  std::string machine = MachineAndBoot();
  // Containers on one machine share its boot_id, and memory only when /dev/shm is the same mount:
  // the kernel gives each tmpfs a device number of its own.
  struct stat memory = {};
  if (stat("/dev/shm", &memory) == 0)
  {
    machine += fmt::format("/{}:{}", major(memory.st_dev), minor(memory.st_dev));
  }
  // A host's memory is opened by the host's process, as /proc has it.
  struct stat processes = {};
  if (stat("/proc/self/ns/pid", &processes) == 0)
  {
    machine += fmt::format("/{}", processes.st_ino);
  }
  return machine;
}

std::string NetworkIdentity()
{
  std::string network = MachineAndBoot();
  struct stat space = {};
  if (stat("/proc/self/ns/net", &space) == 0)
  {
    network += fmt::format("/{}", space.st_ino);
  }
  return network;
}

}
