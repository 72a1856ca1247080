// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "Mpi/Communicator.h"
#include "Mpi/InPieces.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace dsm
{

/// Something MPI does in the background. Whoever waits for it asks Done() as often as it likes and
/// gives up when it likes, so that nobody waits for a dead peer. Move-only; one that is destroyed
/// before it is done is left behind, with the bytes it owns, since MPI may still use them.
class Request
{
public:
  Request() = default;

  /// Largest size of one message.
  static constexpr std::uint64_t LargestMessage = LargestMpiMessage;

  /// Sends bytes that stay where they are until it is done.
  static Request Send(MPI_Comm comm, int to, int tag, const void* data, std::uint64_t size);

  /// Sends bytes that it owns.
  static Request SendOwned(MPI_Comm comm, int to, int tag, std::vector<std::byte> data);

  static Request Receive(MPI_Comm comm, int from, int tag, void* data, std::uint64_t size);

  /// Receives bytes that it owns.
  static Request ReceiveOwned(MPI_Comm comm, int from, int tag, std::uint64_t size);

  /// Takes over what another call began, with the bytes that MPI reads or writes.
  static Request Adopt(MPI_Request request, std::vector<std::byte> bytes = {});

  /// Done when all ranks of the communicator have begun one: a barrier that can be given up.
  static Request Barrier(const Communicator& comm);

  Request(Request&& other) noexcept;
  Request& operator=(Request&& other) noexcept;
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request();

  /// True once it is complete. Each call lets MPI make progress.
  bool Done();

  /// Asks MPI to forget a receive or send that nobody will answer. Of anything else MPI forbids
  /// that (MPICH ends the process), and it is left as it is.
  void Cancel() noexcept;

  /// What it owns: of a receive that is done, what came.
  std::span<const std::byte> Bytes() const { return this->Owned; }

private:
  MPI_Request Handle = MPI_REQUEST_NULL;
  bool IsMessage = false; ///< a send or a receive
  std::vector<std::byte> Owned;
};

/// A message that has arrived and not been received yet.
struct WaitingMessage
{
  int From = 0;
  std::uint64_t Size = 0;
};

/// The next message with this tag, if one is there. Lets MPI make progress.
std::optional<WaitingMessage> FindMessage(const Communicator& comm, int tag);

/// Receives a message that FindMessage found.
void TakeMessage(const Communicator& comm, const WaitingMessage& message, int tag, void* data);

}
