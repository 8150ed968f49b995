#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/dispatcher.h"
#include "api/guests.h"
#include "api/pool.h"
#include "base/log.h"
#include "base/result.h"
#include "base/time.h"
#include "http/listen_address.h"
#include "http/public_url.h"
#include "journal/committer.h"
#include "model/ids.h"
#include "model/partition.h"
#include "model/solo_partition.h"

namespace ff::app {

/// Looks a variable of the environment up; nullopt when it is not set.
using Environment = std::function<std::optional<std::string>(std::string_view name)>;

/// The environment of this process.
std::optional<std::string> process_environment(std::string_view name);

/// Values of the command line by flag, `--listen-addr`; they win over the environment.
using Flags = std::map<std::string, std::string>;

enum class Backend : std::uint8_t { Embedded, Valkey };
std::string_view to_string(Backend backend);

/// Which pages of other origins may use the API.
struct Cors {
    bool any = false;
    std::vector<std::string> origins{};
    /// Listed, but no value of a header.
    std::size_t dropped = 0;
};

/// A share of what the process may use, unless `bytes` says otherwise; 0 bytes: no limit.
struct MemoryLimit {
    std::uint64_t percent = 70;
    std::optional<std::uint64_t> bytes{};
};

enum class AccessLog : std::uint8_t { Off, Errors, All };

/// What environment and flags say about the server, checked.
struct Settings {
    Backend backend = Backend::Embedded;

    std::string store_host = "localhost";
    std::uint16_t store_port = 6379;
    bool store_tls = false;
    std::string store_tls_ca_file{};
    bool cluster = false;
    std::string store_user{};
    std::string store_password{};
    bool allow_redis = false;
    bool force_library_reload = false;

    /// Empty: in memory only.
    std::string data_dir = "./flowfabric-data";
    /// Where requests may have backups written; empty: nowhere.
    std::string backup_dir{};
    journal::Fsync fsync = journal::Fsync::Always;
    Millis fsync_interval{100};
    /// Replicas of a Valkey that must have a change before it is answered, and for how long they
    /// are waited for.
    std::size_t wait_replicas = 0;
    Millis wait_replicas_time{1'000};
    std::uint32_t shards = 0;
    std::uint32_t recovery_target_s = 10;
    /// The functions of the embedded store are compiled to machine code, not interpreted.
    bool lua_jit = true;
    /// Of the embedded store.
    MemoryLimit memory_limit{};
    std::optional<http::ListenAddress> resp_listen{};
    std::string resp_password{};
    /// Of the embedded store's time; zero: it may leap as far as it likes.
    Millis clock_jump_max{600'000};
    Millis clock_grace{600'000};
    Millis lease_grace_max{30'000};
    /// Requests may move the store's time ahead. In memory only.
    bool test_clock = false;
    /// A call of the embedded store that takes longer is logged and counted; zero: none.
    Millis slow_call{500};

    /// False inside another program: nothing listens, requests come by Instance::handler.
    bool serve_http = true;
    /// A worker on a store that belongs to servers: secrets, caps and lanes are theirs to set.
    bool guest = false;
    http::ListenAddress listen{.host = "127.0.0.1", .port = 9090};
    std::string listen_unix{};
    bool insecure_listen = false;
    std::string listen_tls_cert_file{};
    std::string listen_tls_key_file{};
    std::size_t connections_max = 16'384;
    Millis head_timeout{10'000};
    Millis body_timeout{10'000};
    std::size_t body_bytes_per_second_min = std::size_t{16} << 10;
    std::optional<http::ListenAddress> metrics_listen{};
    bool metrics_public = false;
    std::string api_token{};
    api::GuestLimits guests{};
    /// Names of this server beside its addresses, `localhost` and the machine's own.
    std::vector<std::string> allowed_hosts{};
    bool any_host = false;
    /// Where others reach this server; absent: by whatever address a request came to.
    std::optional<http::PublicUrl> public_url{};
    Cors cors{};
    bool sse_query_token = false;
    api::BodyLimits bodies{};
    api::PoolSizes pools{};
    std::size_t tail_pool_size = 64;
    AccessLog access_log = AccessLog::Errors;
    /// The pages below /console/ are served.
    bool console = true;

    std::vector<model::LaneId> lanes{};
    model::PartitionConfig partitions{};
    model::LanePartitioner partitioner{};
    /// Nothing: as the backend has it.
    std::optional<std::uint16_t> lane_spread{};
    std::map<std::string, std::uint16_t> lane_spread_overrides{};
    /// An ExecutionPolicy that has been checked; empty: none.
    std::string default_policy_json{};

    std::string waitpoint_secret_hex{};
    Millis waitpoint_grace{86'400'000};
    bool redact_waitpoint_tokens = false;
    std::uint64_t feed_maxlen = 4000;
    Millis feed_poll{200};
    // Fixed (spec 04, sections 11.3 and 12.3); shorter in tests.
    Millis sse_heartbeat{10'000};
    Millis sse_piece_max{30'000};
    bool completion_listener = true;
    std::size_t completion_concurrency = 32;
    Millis retention_default{86'400'000};
    Millis flow_retention{604'800'000};
    Millis budget_ledger_ttl{2'592'000'000};
    bool secondary_indexes = true;

    bool scanners_enabled = true;
    std::uint16_t scanner_shard_index = 0;
    std::uint16_t scanner_shard_count = 1;
    std::string scanner_namespace{};
    std::string scanner_tag_key{};
    std::string scanner_tag_value{};
    /// By name; those that are not here have their default.
    std::map<std::string, Millis> scanner_intervals{};

    Millis shutdown_grace{15'000};
    log::Level log_level = log::Level::Info;

    /// `invalid_input` naming what is present and wrong.
    static Result<Settings> read(const Environment& environment);
    static Result<Settings> read(const Environment& environment, const Flags& flags);

    bool in_memory() const { return data_dir.empty(); }
};

}  // namespace ff::app
