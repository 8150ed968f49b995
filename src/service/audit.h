#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "base/task.h"
#include "engine/stream_read.h"
#include "hub/entry_id.h"
#include "hub/stream_watch.h"
#include "service/context.h"

namespace ff::service {

/// What an operator did. No secret, token or payload in any of it.
struct AuditEvent {
    std::string event{};
    /// `token:` and the first 8 hex digits of the API token's SHA-256, or `anonymous`.
    std::string actor{};
    std::string remote{};
    std::string request_id{};
    /// The id or name of what was acted upon.
    std::string subject{};
    /// JSON text.
    std::string detail{};
    /// `ok` or the code of the refusal.
    std::string outcome{};
};

struct AuditPage {
    std::vector<engine::StreamEntry> entries{};
    /// Where to go on; that of the request if there was nothing.
    std::string next{};
    bool stopped = false;
};

/// The trail of operators' actions: one log line and one entry of `ff:audit:events` for each.
/// Lives on the context's loop.
class Audit {
  public:
    explicit Audit(const Context& context);
    ~Audit();

    /// A trail that cannot be written is logged, and never fails the action.
    boost::asio::awaitable<void> record(AuditEvent event);
    /// Entries after an id; waits for the first until the deadline.
    Task<AuditPage> read(std::string after, std::int64_t limit, Deadline until);
    void stop_waiting() { watch_.stop_waiting(); }
    boost::asio::awaitable<void> stop();

  private:
    Task<hub::EntryId> newest_entry();

    Context context_;
    hub::StreamWatch watch_;
};

}  // namespace ff::service
