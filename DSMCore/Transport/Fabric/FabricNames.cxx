// SPDX-License-Identifier: BSD-3-Clause
#include "Transport/Fabric/FabricNames.h"

#include "Base/Error.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace dsm::fabric
{

namespace
{
constexpr int ProbeMilliseconds = 1000;
constexpr std::string_view Digits = "0123456789abcdef";

std::optional<sockaddr_in> AsInternet(const std::string& name)
{
  sockaddr_in address = {};
  if (name.size() != 2 * sizeof address)
  {
    return std::nullopt;
  }
  const auto bytes = FromHexadecimal(name);
  std::memcpy(&address, bytes.data(), sizeof address);
  return address.sin_family == AF_INET ? std::optional(address) : std::nullopt;
}

bool IsLoopback(const std::string& name)
{
  const auto address = InternetAddress(name);
  return address && (ntohl(*address) >> 24) == 127;
}

// The source address of packets that go far away; no packet is sent to learn it.
std::uint32_t AddressOfDefaultRoute()
{
  sockaddr_in far = {};
  far.sin_family = AF_INET;
  far.sin_port = htons(9);
  far.sin_addr.s_addr = htonl(0xC6336401); // 198.51.100.1, which is nobody's
  sockaddr_in near = {};
  socklen_t size = sizeof near;
  const int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool known = probe >= 0 &&
    connect(probe, reinterpret_cast<const sockaddr*>(&far), sizeof far) == 0 &&
    getsockname(probe, reinterpret_cast<sockaddr*>(&near), &size) == 0;
  if (probe >= 0)
  {
    close(probe);
  }
  return known ? near.sin_addr.s_addr : 0;
}
}

std::string ToHexadecimal(const void* bytes, std::size_t size)
{
  std::string text;
  text.reserve(2 * size);
  for (const auto* byte = static_cast<const unsigned char*>(bytes); size > 0; ++byte, --size)
  {
    text += Digits[*byte >> 4];
    text += Digits[*byte & 15];
  }
  return text;
}

std::vector<std::byte> FromHexadecimal(const std::string& text)
{
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 2);
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
  {
    const auto high = Digits.find(text[i]);
    const auto low = Digits.find(text[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos)
    {
      break;
    }
    bytes.push_back(static_cast<std::byte>(high << 4 | low));
  }
  if (2 * bytes.size() != text.size() || bytes.empty())
  {
    throw Error(Fault::Refused,
      "the fabric address \"{}\" of a DSM host is not made of hexadecimal digits: the two sides "
      "are of different versions",
      text);
  }
  return bytes;
}

std::string Readable(const std::string& name)
{
  if (const auto address = AsInternet(name))
  {
    std::array<char, INET_ADDRSTRLEN> text{};
    inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
    return fmt::format("{}:{}", text.data(), ntohs(address->sin_port));
  }
  const auto bytes = FromHexadecimal(name);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  text.resize(std::strlen(text.c_str()));
  const bool readable = !text.empty() &&
    std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
  return readable ? text : name;
}

std::vector<Interface> Interfaces()
{
  std::vector<Interface> found;
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0)
  {
    throw Error(
      Fault::System, "cannot list this machine's network interfaces: {}", SystemText(errno));
  }
  for (const ifaddrs* one = first; one; one = one->ifa_next)
  {
    if (one->ifa_addr && one->ifa_netmask && one->ifa_addr->sa_family == AF_INET &&
      (one->ifa_flags & IFF_UP) != 0)
    {
      found.push_back(
        { one->ifa_name, reinterpret_cast<const sockaddr_in*>(one->ifa_addr)->sin_addr.s_addr,
          reinterpret_cast<const sockaddr_in*>(one->ifa_netmask)->sin_addr.s_addr,
          (one->ifa_flags & IFF_LOOPBACK) != 0 });
    }
  }
  freeifaddrs(first);
  const std::uint32_t outward = AddressOfDefaultRoute();
  std::stable_sort(found.begin(), found.end(),
    [outward](const Interface& a, const Interface& b)
    {
      const auto rank = [outward](const Interface& one)
      {
        return one.Loopback ? 2 : one.Address == outward ? 0 : 1;
      };
      return rank(a) < rank(b);
    });
  return found;
}

std::optional<std::uint32_t> InternetAddress(const std::string& name)
{
  const auto address = AsInternet(name);
  return address ? std::optional(address->sin_addr.s_addr) : std::nullopt;
}

std::string WithAddress(const std::string& name, std::uint32_t address)
{
  auto changed = AsInternet(name);
  if (!changed)
  {
    return name;
  }
  changed->sin_addr.s_addr = address;
  return ToHexadecimal(&*changed, sizeof *changed);
}

std::vector<std::string> OrderByReachability(
  const std::vector<std::string>& names, bool sameNetwork, const std::vector<Interface>& own)
{
  std::vector<std::string> order;
  for (const std::string& name : names)
  {
    if (sameNetwork || !IsLoopback(name))
    {
      order.push_back(name);
    }
  }
  std::stable_sort(order.begin(), order.end(),
    [&](const std::string& a, const std::string& b)
    {
      const auto rank = [&](const std::string& name)
      {
        const auto address = InternetAddress(name);
        const bool close = address &&
          (sameNetwork ? IsLoopback(name)
                       : std::any_of(own.begin(), own.end(), [&](const Interface& one)
                           { return ((one.Address ^ *address) & one.Mask) == 0; }));
        return close ? 0 : 1;
      };
      return rank(a) < rank(b);
    });
  return order;
}

std::string Probe(const std::string& name)
{
  const auto address = AsInternet(name);
  if (!address)
  {
    return {};
  }
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (probe < 0)
  {
    return {};
  }
  int error = 0;
  if (connect(probe, reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0)
  {
    error = errno;
    pollfd wait = { probe, POLLOUT, 0 };
    if (error == EINPROGRESS)
    {
      error = ETIMEDOUT;
      socklen_t size = sizeof error;
      if (poll(&wait, 1, ProbeMilliseconds) == 1)
      {
        getsockopt(probe, SOL_SOCKET, SO_ERROR, &error, &size);
      }
    }
  }
  close(probe);
  return error == 0         ? std::string(Reachable)
    : error == ECONNREFUSED ? "refuses connections"
    : error == ETIMEDOUT    ? "does not answer"
                            : "cannot be reached: " + SystemText(error);
}

}
