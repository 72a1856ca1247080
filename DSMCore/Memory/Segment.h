// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace dsm
{

/// The memory one host lends: a POSIX shared-memory object that processes on the same node map.
///
/// Its size is address space, not memory: pages exist once somebody touches them (Populate ahead of
/// the writer, or the writer itself), read as zero until written, and go back with Release.
///
/// The host that creates a segment holds a lock on it for as long as it lives and removes the name
/// when it is destroyed; a name whose lock is free belongs to a host that crashed, and
/// RemoveStale clears it. Move-only. Distinct ranges may be used from several threads.
class Segment
{
public:
  Segment() = default;

  /// Makes a new object of `size` bytes (rounded up to pages) under `name`, for this user only.
  /// Throws Error(System) when the name exists or the system refuses.
  static Segment Create(const std::string& name, std::uint64_t size);

  /// Maps an existing one. Throws Error(NoServer) when it is gone.
  static Segment Open(const std::string& name, std::uint64_t size);

  /// Removes this user's segments whose hosts no longer live; returns how many.
  static int RemoveStale();

  /// A name no other segment has: "/dsm.<user>.<process>.<counter>".
  static std::string UniqueName();

  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  Segment(const Segment&) = delete;
  Segment& operator=(const Segment&) = delete;
  ~Segment();

  std::byte* Data() const { return this->Memory; }
  std::uint64_t Size() const { return this->Bytes; }
  const std::string& Name() const { return this->ObjectName; }

  /// Makes pages exist, and this process's page tables know them, so that a copy into them runs at
  /// full speed. Contents stay. Throws Error(System) when memory runs out, instead of a later
  /// SIGBUS.
  void Populate(std::uint64_t offset, std::uint64_t size) const;

  /// Enters existing pages into this process's page tables for reading and writing; makes no page
  /// that does not exist beyond what the kernel's interface forces. Never throws.
  void MapExisting(std::uint64_t offset, std::uint64_t size) const noexcept;

  /// Writes zeros; pages stay.
  void Zero(std::uint64_t offset, std::uint64_t size) const;

  /// Copies within the segment, onto pages that it makes exist first. Throws as Populate does.
  void Copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) const;

  /// Gives the pages back to the system; they read as zero afterwards.
  void Release(std::uint64_t offset, std::uint64_t size) const;

private:
  std::string ObjectName;
  std::byte* Memory = nullptr;
  std::uint64_t Bytes = 0;
  int Descriptor = -1;
  int Owner = 0; ///< the process that made it and removes it: not one forked from it. 0: another
};

}
