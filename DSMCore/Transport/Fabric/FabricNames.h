// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Addresses of endpoints as libfabric has them: bytes whose meaning the provider knows. Those that
/// are Internet addresses we understand, too.
namespace dsm::fabric
{

std::string ToHexadecimal(const void* bytes, std::size_t size);

/// Throws Error(Refused) on anything else than pairs of hexadecimal digits.
std::vector<std::byte> FromHexadecimal(const std::string& text);

/// "10.1.2.3:4242" for an Internet address, the text itself for a textual one ("fi_shm://…"), else
/// the hexadecimal digits.
std::string Readable(const std::string& name);

/// A network interface that is up.
struct Interface
{
  std::string Name;
  std::uint32_t Address = 0; ///< IPv4, in network order
  std::uint32_t Mask = 0;
  bool Loopback = false;
};

/// Interfaces with an IPv4 address; the one that packets to elsewhere take comes first, loopback
/// last.
std::vector<Interface> Interfaces();

/// The IPv4 address in an endpoint's name, in network order; none when it is something else.
std::optional<std::uint32_t> InternetAddress(const std::string& name);

/// The name of the endpoint with another IPv4 address; other names as they are.
std::string WithAddress(const std::string& name, std::uint32_t address);

/// The order in which a peer tries a host's names: on the same network namespace over loopback;
/// else first what lies in a network of one of its own interfaces, then the host's order, and never
/// loopback, which would be itself.
std::vector<std::string> OrderByReachability(
  const std::vector<std::string>& names, bool sameNetwork, const std::vector<Interface>& own);

/// What a plain TCP connection to the name meets, for messages: Reachable, "refuses connections",
/// "does not answer"; empty when it is no Internet address.
inline constexpr const char* Reachable = "accepts connections";
std::string Probe(const std::string& name);

}
