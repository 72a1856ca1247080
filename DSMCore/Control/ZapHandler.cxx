// SPDX-License-Identifier: BSD-3-Clause
#include "Control/ZapHandler.h"

#include "Base/Error.h"
#include "Base/Log.h"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace dsm
{

ZapHandler::ZapHandler(zmq::context_t& context, const std::string& clientKey)
  : Socket(context, zmq::socket_type::rep)
{
  std::array<std::uint8_t, 32> binary{};
  if (clientKey.size() != 40 || !zmq_z85_decode(binary.data(), clientKey.c_str()))
  {
    throw Error(Fault::Usage, "\"{}\" is no CURVE key in Z85 (40 characters)", clientKey);
  }
  this->Admitted.assign(binary.begin(), binary.end());
  this->Socket.set(zmq::sockopt::linger, 0);
  this->Socket.bind("inproc://zeromq.zap.01");
}

void ZapHandler::Answer()
{
  zmq::message_t part;
  while (this->Socket.recv(part, zmq::recv_flags::dontwait))
  {
    // version, request, domain, address, identity, mechanism, key
    std::vector<std::string> question{ part.to_string() };
    while (part.more() && this->Socket.recv(part, zmq::recv_flags::dontwait))
    {
      question.push_back(part.to_string());
    }
    const bool admitted =
      question.size() == 7 && question[5] == "CURVE" && question[6] == this->Admitted;
    if (!admitted)
    {
      Log().warn("a connection from {} was refused: its key is not this server's contact file's",
        question.size() > 3 ? question[3] : "somewhere");
    }
    const std::string request = question.size() > 1 ? question[1] : "";
    const std::array<std::string_view, 6> answer{ "1.0", request, admitted ? "200" : "400",
      admitted ? "" : "this key is not admitted", "", "" };
    for (std::size_t i = 0; i < answer.size(); ++i)
    {
      this->Socket.send(zmq::buffer(answer[i]),
        i + 1 < answer.size() ? zmq::send_flags::sndmore : zmq::send_flags::none);
    }
  }
}

}
