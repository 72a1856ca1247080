// SPDX-License-Identifier: BSD-3-Clause
// Control messages, as a peer may send them: whole frames, and the records in them. The input's
// first byte says which record the rest is; 0: a frame, whose name says what its body is. Bytes
// that are no record are refused by Error alone; what is decoded encodes, and decodes to the same.
#include "Fuzz.h"

#include "Control/Envelope.h"
#include "Protocol/GuestMessages.h"
#include "Protocol/HostMessages.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/SessionMessages.h"
#include "Protocol/SnapshotMessages.h"
#include "Protocol/TransportMessages.h"
#include "Server/Core/ServerStatus.h"
#include "Steering/SteeringMessages.h"
#include "Transport/Fabric/FabricAddress.h"
#include "Transport/Mpi/LinkMessages.h"

#include <vector>

namespace
{

using namespace dsm;
using dsm::fuzz::Accepted;
using dsm::fuzz::Require;

// What lies in a record as bytes travels as a record of its own.
void Inside(const TransportRequest& request);
void Inside(const TransportNotice& notice);
void Inside(const TransportEvent& event);
void Inside(const TransportReply& reply);
void Inside(const LinkMessage& message);
void Inside(const HostDescription& host)
{
  Accepted([&] { FabricAddressesOf(host); });
}
template <typename Record>
void Inside(const Record&)
{
}

template <typename Record>
void RoundTrip(const Bytes& bytes)
{
  Record record;
  if (!Accepted([&] { record = Decode<Record>(bytes, "it"); }))
  {
    return;
  }
  const Bytes once = Encode(record);
  Record again;
  Require(Accepted([&] { again = Decode<Record>(once, "it"); }), "what was encoded is decoded");
  Require(Encode(again) == once, "what was encoded is decoded to the same");
  Inside(record);
}

struct Record
{
  const char* Name; ///< of the message; null for what has no name of its own
  void (*Try)(const Bytes&);
};

template <typename... Messages>
std::vector<Record> Named()
{
  return { { Messages::Name, RoundTrip<Messages> }... };
}

template <typename... Records>
std::vector<Record> Nameless()
{
  return { { nullptr, RoundTrip<Records> }... };
}

// Corpora name these by their places: new ones come at the end.
const std::vector<Record>& Records()
{
  static const std::vector<Record> all = []
  {
    std::vector<Record> made = Named<Hello, FilePolicyChanged, ServerChanged, BeginImage,
      ExtendImage, SealImage, PublishImage, ConfirmCopy, FinishImage, DiscardImage, OpenSnapshot,
      CloseSnapshot, ListSnapshots, DeleteFile, PrepareMemory, MemoryPrepared, RequestSteering,
      DeclareProgram, ReportOutcomes, ReportProgress, DeliverTransactions, OutcomesAcknowledged,
      ReadInteractions, TransportRequest, TransportNotice, TransportEvent>();
    for (const auto& more : { Named<JoinRequest, EnterLink, LeaveLink, PrepareJoin, ExecuteJoin,
                                CloseLink, DropLink, JoinPrepared, JoinExecuted>(),
           Nameless<HelloReply, ImageGranted, Extension, Sealed, Published, LeasedSnapshot,
             SnapshotList, DeletedFile, AnsweredSteering, ProgramInteractions, TransportReply,
             JoinPlan, OpenPort, HelloVersion, HostDescription, FabricAddress, ServerOptions,
             ServerStatus, LinkMessage, Nothing>(),
           Named<InviteGuest, WithdrawGuest, ListGuests>(), Nameless<WithdrawnGuest, GuestList>(),
           Named<KeepBytes>(), Named<HoldSnapshots>(), Named<NoteSaved>(), Named<AwaitSnapshot>(),
           Nameless<AwaitedSnapshot>(), Named<WriteShare, CancelShare, ShareWritten>(),
           Named<LocateSnapshot, OpenForRank, CloseForRank>(), Named<NoteFlush, RenameFile>() })
    {
      made.insert(made.end(), more.begin(), more.end());
    }
    return made;
  }();
  return all;
}

void TryNamed(const std::string& name, const Bytes& body)
{
  for (const Record& record : Records())
  {
    if (record.Name && name == record.Name)
    {
      record.Try(body);
    }
  }
}

void Inside(const TransportRequest& request)
{
  RoundTrip<LinkMessage>(request.Content);
}

void Inside(const TransportNotice& notice)
{
  RoundTrip<LinkMessage>(notice.Content);
}

void Inside(const TransportEvent& event)
{
  RoundTrip<LinkMessage>(event.Content);
}

void Inside(const TransportReply& reply)
{
  RoundTrip<JoinPlan>(reply.Content);
}

void Inside(const LinkMessage& message)
{
  TryNamed(message.Name, message.Body);
}

void TryFrame(const std::uint8_t* data, std::size_t size)
{
  const auto envelope = DecodeEnvelope(data, size);
  if (!envelope)
  {
    return;
  }
  const Bytes frame = EncodeEnvelope(*envelope);
  Require(DecodeEnvelope(frame.data(), frame.size()) == envelope, "an envelope travels unchanged");
  if (Is<RequestSteering>(*envelope))
  {
    Accepted([&] { Content<RequestSteering>(*envelope).Needed(); });
  }
  TryNamed(envelope->Name, envelope->Body);
}

}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
  if (size == 0)
  {
    return 0;
  }
  const std::size_t which = *data;
  if (which == 0)
  {
    TryFrame(data + 1, size - 1);
  }
  else if (which <= Records().size())
  {
    Records()[which - 1].Try(Bytes(data + 1, data + size));
  }
  return 0;
}
