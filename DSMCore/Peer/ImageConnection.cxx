// SPDX-License-Identifier: BSD-3-Clause
#include "Peer/ImageConnection.h"

#include "Base/Deadline.h"

namespace dsm
{

namespace
{
constexpr Seconds SecondAttempt(1);
}

std::shared_ptr<Connection> ImageConnection::Reconnected() const
{
  auto fresh = Connection::FromDescription(
    this->Link->ContactPath(), this->Link->GetContact(), *this->Link->Server(), "rank");
  try
  {
    fresh->Control(Deadline(SecondAttempt));
    return fresh;
  }
  catch (const Error&)
  {
    return nullptr;
  }
}

}
