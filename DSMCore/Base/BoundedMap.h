// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>

namespace dsm
{

/// A map that forgets the key which was entered first when it has too many. Not thread safe.
template <typename Key, typename Value>
class BoundedMap
{
public:
  /// `most`: the number of keys that it knows, at least 1.
  explicit BoundedMap(std::size_t most)
    : Most(most)
  {
  }

  /// Returns the value of a key; null if the map does not know the key.
  const Value* Find(const Key& key) const
  {
    const auto found = this->Values.find(key);
    return found == this->Values.end() ? nullptr : &found->second;
  }

  /// Returns the value of a key, for changes. Enters a default value if the map does not know the
  /// key. The reference is valid until the key is forgotten.
  Value& operator[](const Key& key)
  {
    const auto [entry, isNew] = this->Values.try_emplace(key);
    if (isNew)
    {
      this->InOrder.push_back(key);
    }
    if (this->InOrder.size() > this->Most)
    {
      this->Values.erase(this->InOrder.front());
      this->InOrder.pop_front();
    }
    return entry->second;
  }

  /// Forgets a key. Takes time in proportion to the number of keys if the map knows it.
  void Erase(const Key& key)
  {
    if (this->Values.erase(key) > 0)
    {
      this->InOrder.erase(std::find(this->InOrder.begin(), this->InOrder.end(), key));
    }
  }

private:
  std::size_t Most;
  std::map<Key, Value> Values;
  std::deque<Key> InOrder; ///< of entering
};

}
