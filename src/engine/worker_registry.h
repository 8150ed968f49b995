#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "model/ids.h"

namespace ff::engine {

/// `ff_register_worker`.
struct RegisterWorker {
    struct Outcome {
        /// False: it was alive already.
        bool registered = false;
    };

    model::Namespace ns;
    model::WorkerInstanceId instance_id;
    model::WorkerId worker_id;
    std::string lanes_csv{};
    std::string capabilities_csv{};
    Millis ttl{60'000};
    std::string boot_id{};
    bool takeover = false;
    std::optional<std::int64_t> tasks_max{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return !boot_id.empty(); }
};

/// `ff_heartbeat_worker`.
struct HeartbeatWorker {
    enum class State : std::uint8_t { Refreshed, NotRegistered, Superseded };
    struct Outcome {
        State state = State::Refreshed;
        Millis ttl{0};
    };

    model::Namespace ns;
    model::WorkerInstanceId instance_id;
    std::string boot_id{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_mark_worker_dead`; the outcome says whether it had been registered.
struct MarkWorkerDead {
    using Outcome = bool;

    model::Namespace ns;
    model::WorkerInstanceId instance_id;
    std::string reason{};
    std::string boot_id{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

struct WorkerInfo {
    std::string ns{};
    std::string instance_id{};
    std::string worker_id{};
    std::string lanes_csv{};
    std::string capabilities_csv{};
    Millis ttl{0};
    Timestamp registered_at{};
    Timestamp last_heartbeat{};
    std::string boot_id{};
};

/// `ff_list_workers`: the live ones of a namespace, in order of their instance ids.
struct ListWorkers {
    struct Outcome {
        /// Where the next page begins; empty at the end.
        std::string next_after{};
        std::vector<WorkerInfo> workers{};
    };

    model::Namespace ns;
    std::string after{};
    std::int64_t limit = 1000;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
