#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "resp/value.h"
#include "store/store.h"
#include "valkey/event.h"

namespace ff::valkey {

/// The notices that one subscription has not read yet. Bounded: what does not fit is dropped, and
/// a Gap stands in its place.
class Inbox {
  public:
    Inbox(boost::asio::any_io_executor loop, std::size_t notices_max)
        : changed_(std::move(loop)), notices_max_(notices_max) {}

    void add(std::string_view channel, std::string_view message);
    void add_gap();
    std::optional<store::Notice> take();

    /// No more will come.
    void close();
    bool closed() const { return closed_; }
    /// Notified at every change; for the one reader.
    Event& changed() { return changed_; }

  private:
    Event changed_;
    std::size_t notices_max_;
    std::deque<store::Notice> notices_{};
    bool closed_ = false;
};

/// Who wants which channels, and which of these the server has confirmed. Without I/O: it is fed
/// the push messages of the server and says what to send.
class Hub {
  public:
    /// Names and patterns that must be asked of the server, or given up there.
    using Change = store::Channels;

    Change add(const std::shared_ptr<Inbox>& inbox, const store::Channels& channels);
    Change remove(const std::shared_ptr<Inbox>& inbox);
    /// Everything that somebody wants.
    store::Channels all() const;
    bool empty() const { return topics_.empty(); }

    /// Takes one push message.
    void on_push(const resp::Value& push);
    /// The connection is gone: nothing is confirmed any more.
    void on_lost();
    bool confirmed(const store::Channels& channels) const;
    bool all_confirmed() const;

    /// Every subscription may have missed messages.
    void add_gaps();
    void close();

  private:
    struct Key {
        bool pattern = false;
        std::string name{};
        auto operator<=>(const Key&) const = default;
    };
    struct Topic {
        std::vector<std::shared_ptr<Inbox>> inboxes{};
        bool confirmed = false;
    };

    static std::vector<Key> keys_of(const store::Channels& channels);
    static void put(Change& change, const Key& key);
    void confirm(const Key& key);
    void deliver(const Key& key, std::string_view channel, std::string_view message);

    std::map<Key, Topic> topics_{};
};

}  // namespace ff::valkey
