// SPDX-License-Identifier: BSD-3-Clause
#include "Control/ZapHandler.h"

#include "Base/Log.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace dsm
{

namespace
{
// The key of a question, as the contact files have it; empty when it is none.
std::string KeyIn(const std::vector<std::string>& question)
{
  // version, request, domain, address, identity, mechanism, key
  std::array<char, 41> text{};
  if (question.size() != 7 || question[5] != "CURVE" || question[6].size() != 32 ||
    !zmq_z85_encode(
      text.data(), reinterpret_cast<const std::uint8_t*>(question[6].data()), question[6].size()))
  {
    return {};
  }
  return text.data();
}
}

ZapHandler::ZapHandler(zmq::context_t& context, std::shared_ptr<const AdmittedKeys> keys)
  : Keys(std::move(keys))
  , Socket(context, zmq::socket_type::rep)
{
  this->Socket.set(zmq::sockopt::linger, 0);
  this->Socket.bind("inproc://zeromq.zap.01");
}

void ZapHandler::Answer()
{
  zmq::message_t part;
  while (this->Socket.recv(part, zmq::recv_flags::dontwait))
  {
    std::vector<std::string> question{ part.to_string() };
    while (part.more() && this->Socket.recv(part, zmq::recv_flags::dontwait))
    {
      question.push_back(part.to_string());
    }
    const std::string key = KeyIn(question);
    const auto found = this->Keys->Ask(key);
    const bool admitted = found == AdmittedKeys::Answer::Admitted;
    const bool withdrawn = found == AdmittedKeys::Answer::Withdrawn;
    if (!admitted)
    {
      Log().warn("a connection from {} was refused: its key {}",
        question.size() > 3 ? question[3] : "somewhere",
        withdrawn ? "was withdrawn" : "is not this server's contact file's, nor a guest's");
    }
    const std::string status = admitted ? "200" : std::to_string(withdrawn ? WithdrawnStatus : 400);
    const std::string request = question.size() > 1 ? question[1] : "";
    const std::array<std::string_view, 6> answer{ "1.0", request, status,
      admitted ? "" : "this key is not admitted", key, "" };
    for (std::size_t i = 0; i < answer.size(); ++i)
    {
      this->Socket.send(zmq::buffer(answer[i]),
        i + 1 < answer.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    }
  }
}

std::string ZapHandler::KeyOf(const zmq::message_t& message)
{
  const char* key =
    zmq_msg_gets(const_cast<zmq_msg_t*>(message.handle()), "User-Id"); // as ZAP's answer said
  return key ? key : "";
}

}
