// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ServerMessages.h"

namespace dsm
{

namespace
{
constexpr double LongestTake = 3600; // seconds; who wants to wait longer asks again
}

void Describe(Fields&, AttachViewer&) {}

void Describe(Fields&, WatchServer&) {}

void Describe(Fields&, AskStatus&) {}

void Describe(Fields& fields, MessageCount& count)
{
  fields("Message", count.Message);
  fields("Received", count.Received);
  fields("Sent", count.Sent);
}

void Describe(Fields& fields, ControlTraffic& message)
{
  fields("Peers", message.Peers);
  fields("Messages", message.Messages);
}

void Describe(Fields&, AskTraffic&) {}

void Describe(Fields& fields, TakenSnapshot& message)
{
  fields("Snapshot", message.Snapshot);
  fields("Counts", message.Counts);
}

void Describe(Fields& fields, TakeSnapshot& message)
{
  fields("After", message.After);
  fields("Next", message.Next);
  fields.Within("Seconds", message.Seconds, 0, LongestTake);
}

void Describe(Fields& fields, DropSnapshot& message)
{
  fields("Number", message.Number);
}

void Describe(Fields& fields, ServerAdjusted& message)
{
  fields("Server", message.Server);
}

void Describe(Fields& fields, AdjustServer& message)
{
  fields("Options", message.Options);
}

void Describe(Fields&, StopServer&) {}

}
