// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Mpi/LinkMessages.h"

namespace dsm
{

void Describe(Fields& fields, LinkMessage& message)
{
  fields("Name", message.Name);
  fields("Body", message.Body);
}

void Describe(Fields& fields, JobDescription& job)
{
  fields("Library", job.Library);
  fields("WorldSize", job.WorldSize);
  fields("Leader", job.Leader);
  fields("Ranks", job.Ranks);
}

void Describe(Fields& fields, JoinPlan& plan)
{
  fields("Link", plan.Link);
  fields("Static", plan.Static);
  fields("Leader", plan.Leader);
  fields("Tag", plan.Tag);
}

void Describe(Fields& fields, JoinRequest& join)
{
  fields("Job", join.Job);
  fields("OneSided", join.OneSided);
}

void Describe(Fields& fields, OpenPort& port)
{
  fields("Port", port.Port);
}

void Describe(Fields& fields, EnterLink& enter)
{
  fields("Link", enter.Link);
}

void Describe(Fields& fields, LeaveLink& leave)
{
  fields("Link", leave.Link);
}

void Describe(Fields& fields, PrepareJoin& meet)
{
  fields("Link", meet.Link);
  fields("Static", meet.Static);
  fields("Leader", meet.Leader);
  fields("Tag", meet.Tag);
}

void Describe(Fields& fields, ExecuteJoin& enter)
{
  fields("Link", enter.Link);
  fields("Static", enter.Static);
  fields("Port", enter.Port);
  fields("Leader", enter.Leader);
  fields("Tag", enter.Tag);
  fields("OneSided", enter.OneSided);
}

void Describe(Fields& fields, CloseLink& part)
{
  fields("Link", part.Link);
}

void Describe(Fields& fields, DropLink& drop)
{
  fields("Link", drop.Link);
}

void Describe(Fields& fields, JoinPrepared& met)
{
  fields("Link", met.Link);
  fields("Port", met.Port);
}

void Describe(Fields& fields, JoinExecuted& linked)
{
  fields("Link", linked.Link);
  fields("Failure", linked.Failure);
  fields("Stuck", linked.Stuck);
}

}
