// SPDX-License-Identifier: BSD-3-Clause
#include "Protocol/TransportMessages.h"

namespace dsm
{

namespace
{
template <typename Message>
void DescribeAddressed(Fields& fields, Message& message)
{
  fields("Transport", message.Transport);
  fields("Content", message.Content);
}
}

void Describe(Fields& fields, TransportReply& reply)
{
  fields("Content", reply.Content);
}

void Describe(Fields& fields, TransportRequest& request)
{
  DescribeAddressed(fields, request);
}

void Describe(Fields& fields, TransportNotice& notice)
{
  DescribeAddressed(fields, notice);
}

void Describe(Fields& fields, TransportEvent& event)
{
  DescribeAddressed(fields, event);
}

}
