// SPDX-License-Identifier: BSD-3-Clause
#include "Server/Core/ShareTasks.h"

#include <fmt/format.h>

namespace dsm
{

std::uint64_t ShareTasks::Begin(std::uint64_t hosts)
{
  this->Tickets[++this->Last].Hosts.resize(hosts);
  return this->Last;
}

void ShareTasks::Report(HostIndex host, const ShareWritten& report)
{
  const auto found = this->Tickets.find(report.Ticket);
  if (found == this->Tickets.end() || host >= found->second.Hosts.size())
  {
    return;
  }
  Ticket& ticket = found->second;
  ticket.Hosts[host] = { report.Bytes, ticket.Hosts[host].Done || report.Done };
  if (!report.Failure.empty() && ticket.Failure.empty())
  {
    ticket.Failure = fmt::format("DSM host {}: {}", host, report.Failure);
  }
  ticket.IsElsewhere = ticket.IsElsewhere || report.IsElsewhere;
  ticket.HasMoved = ticket.HasMoved || report.HasMoved;
}

void ShareTasks::Lose(HostIndex host, const std::string& why)
{
  for (auto& [number, ticket] : this->Tickets)
  {
    if (host < ticket.Hosts.size() && !ticket.Hosts[host].Done)
    {
      ticket.Hosts[host].Done = true;
      ticket.Failure = ticket.Failure.empty() ? why : ticket.Failure;
    }
  }
}

ShareTasks::State ShareTasks::Now(std::uint64_t number) const
{
  const Ticket& ticket = this->Tickets.at(number);
  State state;
  state.Failure = ticket.Failure;
  state.IsElsewhere = ticket.IsElsewhere;
  state.HasMoved = ticket.HasMoved;
  for (const Share& share : ticket.Hosts)
  {
    state.Bytes += share.Bytes;
    state.Missing += share.Done ? 0 : 1;
  }
  return state;
}

}
