#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace ff::host {

/// Receives what is published. Called by any thread, under the hub's lock: it must not wait, and
/// must not call the hub.
class Listener {
  public:
    virtual ~Listener() = default;
    virtual void message(std::string_view channel, std::string_view message) = 0;
    /// Messages may have been lost.
    virtual void gap() = 0;
    /// The store stops: nothing follows.
    virtual void end() = 0;
};

struct Message {
    std::string channel{};
    std::string text{};
};

/// Hands published messages to those who listen. Any thread may call anything.
class ChannelHub {
  public:
    /// From now until `remove`. A listener gets a message once for every name and pattern that
    /// matches, as in Valkey. After `end` it is told so at once.
    void add(Listener& listener, const store::Channels& channels);
    /// When this returns, the listener is not called any more.
    void remove(Listener& listener);

    /// How many would receive a message on this channel now.
    std::int64_t receivers(std::string_view channel) const;
    void publish(std::span<const Message> messages);
    void gap();
    void end();

  private:
    template <class Visit>
    void each_receiver(std::string_view channel, Visit visit) const;

    mutable std::mutex mutex_{};
    bool ended_ = false;
    /// In the order of their coming.
    std::vector<Listener*> listeners_{};
    std::map<std::string, std::vector<Listener*>, std::less<>> names_{};
    std::map<std::string, std::vector<Listener*>, std::less<>> patterns_{};
};

/// Glob as PSUBSCRIBE has it: `*`, `?`, `[a-z]`, `[^a]`, and `\` before a plain character.
bool matches_glob(std::string_view pattern, std::string_view text);

}  // namespace ff::host
