// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/SessionMessages.h"

#include "Encoding/Fields.h"

namespace dsm
{

void Describe(Fields& fields, GivenMailbox& box)
{
  fields("Number", box.Number);
  fields("Key", box.Key);
}

void Describe(Fields& fields, HelloReply& reply)
{
  fields("Server", reply.Server);
  fields("FullRingLimit", reply.FullRingLimit);
  fields("Files", reply.Files);
  fields("Clock", reply.Clock);
  fields("Trouble", reply.Trouble);
  fields("Mailbox", reply.Mailbox);
}

void Describe(Fields& fields, HostSeat& host)
{
  fields("Number", host.Number);
  fields("Secret", host.Secret);
  fields("Connection", host.Connection);
}

void Describe(Fields& fields, Hello& hello)
{
  fields("Protocol", hello.Protocol);
  fields("Peer", hello.Peer);
  fields("Host", hello.Host);
}

void Describe(Fields& fields, HelloVersion& hello)
{
  fields("Protocol", hello.Protocol);
}

void Describe(Fields& fields, FilePolicyChanged& event)
{
  fields("Files", event.Files);
}

void Describe(Fields& fields, ServerChanged& event)
{
  fields("Server", event.Server);
  fields("FullRingLimit", event.FullRingLimit);
}

}
