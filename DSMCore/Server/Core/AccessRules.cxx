// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/AccessRules.h"

#include "Base/Error.h"
#include "Protocol/HostMessages.h"
#include "Protocol/ImageMessages.h"
#include "Protocol/SessionMessages.h"
#include "Protocol/SnapshotMessages.h"
#include "Protocol/TransportMessages.h"
#include "Server/Core/ServerMessages.h"
#include "Steering/SteeringMessages.h"

#include <algorithm>
#include <variant>

namespace dsm::access
{

namespace
{
// A viewer's requests; one without an entry here does not compile.
struct OfSteering
{
  Right operator()(const WaitRequest&) const { return Right::Look; }
  Right operator()(const StatusRequest&) const { return Right::Look; }
  Right operator()(const ApplyRequest&) const { return Right::Steer; }
  // A file of that name on the hosts' disk, in the name of the server's owner.
  Right operator()(const SaveRequest&) const { return Right::Own; }
  Right operator()(const DeclareRequest&) const { return Right::Own; }
};

// What a message asks for, in the words of a refusal.
const char* ActOf(Right right)
{
  switch (right)
  {
    case Right::Look:
      return "look";
    case Right::Steer:
      return "steer";
    case Right::Write:
      return "write, delete or be steered";
    case Right::Own:
      break;
  }
  return "host, save to disk, declare or invite";
}
}

const std::vector<Rule>& Rules()
{
  static const std::vector<Rule> rules{
    // Who comes (hosts prove by a secret that they are), and what it sees.
    { Hello::Name, Right::Look },
    { ListSnapshots::Name, Right::Look },
    { OpenSnapshot::Name, Right::Look },
    { LocateSnapshot::Name, Right::Look },
    { HoldSnapshots::Name, Right::Look },
    { CloseSnapshot::Name, Right::Look },
    { FindOnDisk::Name, Right::Look },
    { AwaitSnapshot::Name, Right::Look },
    { AskStatus::Name, Right::Look },
    // Without these, nothing can be read over some transports.
    { TransportRequest::Name, Right::Look },
    { TransportNotice::Name, Right::Look },
    // What is asked in it decides.
    { RequestSteering::Name, Right::Look },
    { ReadInteractions::Name, Right::Look },
    // A simulation's.
    { BeginImage::Name, Right::Write },
    { ExtendImage::Name, Right::Write },
    { SealImage::Name, Right::Write },
    { PublishImage::Name, Right::Write },
    { KeepBytes::Name, Right::Write },
    { ConfirmCopy::Name, Right::Write },
    { FinishImage::Name, Right::Write },
    { DiscardImage::Name, Right::Write },
    { DeleteFile::Name, Right::Write },
    { DeclareProgram::Name, Right::Write },
    { ReportOutcomes::Name, Right::Write },
    { ReportProgress::Name, Right::Write },
    // Asked in memory that guests only read.
    { OpenForRank::Name, Right::Own },
    { CloseForRank::Name, Right::Own },
    // The hosts', and the owner's.
    { MemoryPrepared::Name, Right::Own },
    { ShareWritten::Name, Right::Own },
    { HostFailure::Name, Right::Own },
    { AttachViewer::Name, Right::Own },
    { AskTraffic::Name, Right::Own },
    { TakeSnapshot::Name, Right::Own }, // and with it the word on what has been read
    { AdjustServer::Name, Right::Own },
    { StopServer::Name, Right::Own },
    { NoteSaved::Name, Right::Own }, // nobody is asked before what is saved goes
    { InviteGuest::Name, Right::Own },
    { WithdrawGuest::Name, Right::Own },
    { ListGuests::Name, Right::Own },
  };
  return rules;
}

const std::vector<const char*>& ServersOwn()
{
  static const std::vector<const char*> events{ PrepareMemory::Name, WriteShare::Name,
    CancelShare::Name, FilePolicyChanged::Name, ServerChanged::Name, TransportEvent::Name,
    DeliverTransactions::Name, OutcomesAcknowledged::Name };
  return events;
}

Right RightFor(const Envelope& message)
{
  const auto rule = std::find_if(
    Rules().begin(), Rules().end(), [&](const Rule& one) { return message.Name == one.Message; });
  Right needed = rule == Rules().end() ? Right::Own : rule->Needs;
  if (Is<RequestSteering>(message))
  {
    needed = std::max(needed, std::visit(OfSteering(), Content<RequestSteering>(message).Request));
  }
  else if (Is<ReadInteractions>(message) && !Content<ReadInteractions>(message).Peek)
  {
    needed = std::max(needed, Right::Write); // what is pending takes effect
  }
  return needed;
}

void Require(const GuestDescription& guest, const Envelope& message)
{
  const Right needed = RightFor(message);
  if (guest.May >= needed)
  {
    return;
  }
  throw Error(Fault::Refused, "the invitation of {} is to {}: it does not allow to {}. {}",
    guest.Guest, guest.May == Right::Look ? "look only" : "look and steer only", ActOf(needed),
    needed == Right::Steer ? "Ask the server's owner for one that does (dsm-invite --steer)"
                           : "Only who has the server's own contact file may");
}

}
