// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <list>
#include <map>

namespace dsm
{

/// A map that forgets the key which was not used for longest when it has too many. Not thread safe.
template <typename Key, typename Value>
class BoundedMap
{
public:
  /// `most`: the number of keys that it knows, at least 1.
  explicit BoundedMap(std::size_t most)
    : Most(most)
  {
  }

  /// Returns the value of a key; null if the map does not know the key. Does not use the key.
  const Value* Find(const Key& key) const
  {
    const auto found = this->Entries.find(key);
    return found == this->Entries.end() ? nullptr : &found->second.Content;
  }

  /// Returns the value of a key, for changes, and uses the key. Enters a default value if the map
  /// does not know the key. The reference is valid until the key is forgotten.
  Value& operator[](const Key& key)
  {
    const auto [entry, isNew] = this->Entries.try_emplace(key);
    if (isNew)
    {
      entry->second.Place = this->ByUse.insert(this->ByUse.end(), &entry->first);
    }
    else
    {
      this->ByUse.splice(this->ByUse.end(), this->ByUse, entry->second.Place);
    }
    if (this->ByUse.size() > this->Most)
    {
      this->Entries.erase(this->Entries.find(*this->ByUse.front()));
      this->ByUse.pop_front();
    }
    return entry->second.Content;
  }

  /// Forgets a key, if the map knows it.
  void Erase(const Key& key)
  {
    if (const auto found = this->Entries.find(key); found != this->Entries.end())
    {
      this->ByUse.erase(found->second.Place);
      this->Entries.erase(found);
    }
  }

private:
  struct Entry
  {
    Value Content{};
    typename std::list<const Key*>::iterator Place;
  };

  std::size_t Most;
  std::map<Key, Entry> Entries;
  std::list<const Key*> ByUse; ///< of the entries; the last one was used last
};

}
