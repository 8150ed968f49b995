#include "app/setting_table.h"

#include <algorithm>
#include <limits>

#include "app/setting_values.h"
#include "base/numbers.h"
#include "model/error_sentences.h"
#include "model/execution_policy.h"

namespace ff::app {
namespace {

using Text = const std::string&;
using Name = std::string_view;

constexpr std::uint64_t kManyMs = 366ULL * 24 * 60 * 60 * 1000;
constexpr std::uint64_t kManyThings = 1'000'000;
constexpr std::uint64_t kManyBytes = 256ULL << 20U;
constexpr std::uint64_t kManyPartitions = std::numeric_limits<std::uint16_t>::max();

template <auto Member>
Result<Done> boolean(RawSettings& raw, Text value, Name field) {
    FF_TRY(raw.settings.*Member, read_boolean(value, field));
    return Done{};
}

template <auto Member>
Result<Done> text(RawSettings& raw, Text value, Name /*field*/) {
    raw.settings.*Member = value;
    return Done{};
}

template <class T>
void assign(T& to, std::uint64_t value) {
    to = static_cast<T>(value);
}
inline void assign(Millis& to, std::uint64_t value) {
    to = Millis(value);
}

template <auto Member, std::uint64_t Least, std::uint64_t Most>
Result<Done> number(RawSettings& raw, Text value, Name field) {
    FF_TRY(const std::uint64_t read, read_number(value, {.least = Least, .most = Most}, field));
    assign(raw.settings.*Member, read);
    return Done{};
}

/// A member of a member.
template <auto Outer, auto Member, std::uint64_t Least, std::uint64_t Most>
Result<Done> inner_number(RawSettings& raw, Text value, Name field) {
    FF_TRY(const std::uint64_t read, read_number(value, {.least = Least, .most = Most}, field));
    assign(raw.settings.*Outer.*Member, read);
    return Done{};
}

template <auto Member>
Result<Done> count(RawSettings& raw, Text value, Name field) {
    FF_TRY(const std::uint64_t read,
           read_number(value, {.least = 1, .most = kManyPartitions}, field));
    assign(raw.counts.*Member, read);
    return Done{};
}

template <auto Member>
Result<Done> early_number(RawSettings& raw, Text value, Name field) {
    FF_TRY(raw.*Member, read_number(value, {.least = 1, .most = kManyThings}, field));
    return Done{};
}

template <auto Member>
Result<Done> address(RawSettings& raw, Text value, Name field) {
    FF_TRY(raw.settings.*Member, http::ListenAddress::parse(value, field));
    return Done{};
}

Result<Done> public_url(RawSettings& raw, Text value, Name field) {
    raw.settings.public_url.reset();
    if (value.empty()) return Done{};
    FF_TRY(raw.settings.public_url, http::PublicUrl::parse(value, field));
    return Done{};
}

Result<Done> backend(RawSettings& raw, Text value, Name field) {
    if (value != "embedded" && value != "valkey")
        return invalid_input(field, "neither embedded nor valkey");
    raw.settings.backend = value == "valkey" ? Backend::Valkey : Backend::Embedded;
    return Done{};
}

Result<Done> data_dir(RawSettings& raw, Text value, Name field) {
    if (value.empty()) return invalid_input(field, "no folder; say :memory: to keep nothing");
    raw.settings.data_dir = value == ":memory:" ? "" : value;
    return Done{};
}

Result<Done> fsync(RawSettings& raw, Text value, Name field) {
    constexpr std::string_view kInterval = "interval:";
    Settings& settings = raw.settings;
    if (value == "always" || value == "off") {
        settings.fsync = value == "off" ? journal::Fsync::Off : journal::Fsync::Always;
        return Done{};
    }
    const auto ms = value.starts_with(kInterval) ? parse_u64(value.substr(kInterval.size()))
                                                 : std::optional<std::uint64_t>();
    if (!ms || *ms == 0 || *ms > kManyMs)
        return invalid_input(field, "none of always, interval:<ms>, off");
    settings.fsync = journal::Fsync::Interval;
    settings.fsync_interval = Millis(*ms);
    return Done{};
}

/// `n` or `n:ms`.
Result<Done> wait_replicas(RawSettings& raw, Text value, Name field) {
    constexpr std::uint64_t kReplicasMost = 16;
    constexpr std::uint64_t kMsMost = 5'000;
    const std::size_t colon = value.find(':');
    const auto count = parse_u64(value.substr(0, colon));
    const auto ms = colon == std::string::npos ? std::optional<std::uint64_t>(1'000)
                                               : parse_u64(value.substr(colon + 1));
    if (!count || *count > kReplicasMost || !ms || *ms == 0 || *ms > kMsMost)
        return invalid_input(field, "not <replicas 0..16>[:<ms 1..5000>]");
    raw.settings.wait_replicas = *count;
    raw.settings.wait_replicas_time = Millis(*ms);
    return Done{};
}

/// Less than two minutes would doubt a start after a quiet minute: what the log says of the time is
/// a minute old then.
Result<Done> clock_jump_max(RawSettings& raw, Text value, Name field) {
    constexpr std::uint64_t kLeastMs = 120'000;
    FF_TRY(const std::uint64_t read, read_number(value, {.least = 0, .most = kManyMs}, field));
    if (read != 0 && read < kLeastMs) return invalid_input(field, "neither 0 nor at least 120000");
    raw.settings.clock_jump_max = Millis(read);
    return Done{};
}

Result<Done> lua_jit(RawSettings& raw, Text value, Name field) {
    if (value != "on" && value != "off") return invalid_input(field, "neither on nor off");
    raw.settings.lua_jit = value == "on";
    return Done{};
}

Result<Done> memory_limit(RawSettings& raw, Text value, Name field) {
    FF_TRY(raw.settings.memory_limit, read_memory_limit(value, field));
    return Done{};
}

Result<Done> cors(RawSettings& raw, Text value, Name field) {
    FF_TRY(raw.settings.cors, read_cors(value, field));
    return Done{};
}

Result<Done> allowed_hosts(RawSettings& raw, Text value, Name field) {
    raw.settings.any_host = value == "*";
    if (raw.settings.any_host) return Done{};
    raw.settings.allowed_hosts = split_list(value);
    for (const std::string& host : raw.settings.allowed_hosts)
        if (host.empty() || host.find_first_of(" :/@*") != std::string::npos)
            return invalid_input(field, "'" + host + "' is not a name without port");
    return Done{};
}

Result<Done> access_log(RawSettings& raw, Text value, Name field) {
    const auto mode = value == "off"      ? std::optional(AccessLog::Off)
                      : value == "errors" ? std::optional(AccessLog::Errors)
                      : value == "all"    ? std::optional(AccessLog::All)
                                          : std::nullopt;
    if (!mode) return invalid_input(field, "none of off, errors, all");
    raw.settings.access_log = *mode;
    return Done{};
}

Result<Done> lanes(RawSettings& raw, Text value, Name field) {
    FF_TRY(raw.settings.lanes, read_lanes(value, field));
    return Done{};
}

Result<Done> solo_overrides(RawSettings& raw, Text value, Name /*field*/) {
    raw.solo_overrides = value;
    return Done{};
}

/// `4` or `4,bulk=16` or `bulk=16`.
Result<Done> lane_spread(RawSettings& raw, Text value, Name field) {
    for (const std::string& item : split_list(value)) {
        const auto mark = item.rfind('=');
        const std::string width = mark == std::string::npos ? item : item.substr(mark + 1);
        FF_TRY(const std::uint64_t read,
               read_number(width, {.least = 1, .most = kManyPartitions}, field));
        if (mark == std::string::npos) {
            raw.settings.lane_spread = static_cast<std::uint16_t>(read);
            continue;
        }
        const auto lane = model::LaneId::parse(item.substr(0, mark));
        if (!lane.has_value()) return invalid_input(field, "'" + item + "' names no lane");
        raw.settings.lane_spread_overrides[lane->text()] = static_cast<std::uint16_t>(read);
    }
    return Done{};
}

Result<Done> default_policy(RawSettings& raw, Text value, Name field) {
    const auto policy = model::ExecutionPolicy::parse_given(value);
    if (!policy) return invalid_input(field, model::sentence_of(policy.error()));
    raw.settings.default_policy_json = value;
    return Done{};
}

Result<Done> secret(RawSettings& raw, Text value, Name field) {
    FF_TRY(raw.settings.waitpoint_secret_hex, read_secret(value, field));
    return Done{};
}

Result<Done> scanner_shard(RawSettings& raw, Text value, Name field) {
    const auto slash = value.find('/');
    const auto index = parse_u64(value.substr(0, slash));
    const auto total =
        slash == std::string::npos ? std::nullopt : parse_u64(value.substr(slash + 1));
    if (!index || !total || *index >= *total || *total > kManyPartitions)
        return invalid_input(field, "not i/n with i < n");
    raw.settings.scanner_shard_index = static_cast<std::uint16_t>(*index);
    raw.settings.scanner_shard_count = static_cast<std::uint16_t>(*total);
    return Done{};
}

Result<Done> scanner_namespace(RawSettings& raw, Text value, Name field) {
    const auto ns = model::Namespace::parse(value, field);
    if (!ns.has_value()) return ns.error();
    raw.settings.scanner_namespace = value;
    return Done{};
}

Result<Done> scanner_tag(RawSettings& raw, Text value, Name field) {
    const auto mark = value.find('=');
    if (mark == std::string::npos || mark == 0) return invalid_input(field, "not key=value");
    raw.settings.scanner_tag_key = value.substr(0, mark);
    raw.settings.scanner_tag_value = value.substr(mark + 1);
    return Done{};
}

/// The scanner's name is that of the variable: FF_LEASE_EXPIRY_INTERVAL_MS -> lease_expiry.
Result<Done> scanner_interval(RawSettings& raw, Text value, Name field) {
    constexpr std::uint64_t kLeastMs = 100;
    const bool in_seconds = field.ends_with("_S") || field.ends_with("-s");
    FF_TRY(const std::uint64_t read, read_number(value, {.least = 0, .most = kManyThings}, field));
    std::string scanner;
    for (const char c : field.substr(field.starts_with("FF_") ? 3 : 2))
        scanner += c == '-' ? '_' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    scanner.resize(scanner.find("_interval_"));
    raw.settings.scanner_intervals[scanner] =
        Millis(std::max(kLeastMs, in_seconds ? read * 1000 : read));
    return Done{};
}

constexpr Setting interval(Name name, Name otherwise) {
    return {.name = name,
            .otherwise = otherwise,
            .rule = "less than 100 ms counts as 100 ms",
            .about = "interval between runs of this scanner",
            .apply = scanner_interval};
}

Result<Done> log_level(RawSettings& raw, Text value, Name field) {
    const auto level = log::parse_level(value);
    if (!level) return invalid_input(field, "none of error, warn, info, debug, trace");
    raw.settings.log_level = *level;
    return Done{};
}

using S = Settings;
using Limits = api::BodyLimits;
using Sizes = api::PoolSizes;
using Guests = api::GuestLimits;
using Counts = model::PartitionCounts;

constexpr Setting kTable[] = {
    {"FF_BACKEND", "embedded", "embedded or valkey", "where the data lives", backend},
    {"FF_HOST", "localhost", "with valkey", "host of the store", text<&S::store_host>},
    {"FF_PORT", "6379", "1..65535", "port of the store", number<&S::store_port, 1, 65535>},
    {"FF_TLS", "false", "boolean", "speak TLS to the store", boolean<&S::store_tls>, true},
    {"FF_TLS_CA_FILE", "", "PEM file", "certificates to trust, instead of those of the platform",
     text<&S::store_tls_ca_file>},
    {"FF_CLUSTER", "false", "boolean", "the store is a cluster", boolean<&S::cluster>, true},
    {"FF_STORE_USER", "", "never logged", "user at the store", text<&S::store_user>},
    {"FF_STORE_PASSWORD", "", "never logged", "password at the store", text<&S::store_password>},
    {"FF_ALLOW_REDIS", "false", "boolean", "accept Redis 7 and later", boolean<&S::allow_redis>,
     true},
    {"FF_FORCE_LUA_RELOAD", "false", "boolean",
     "load the function library even if the store has it (for development)",
     boolean<&S::force_library_reload>, true},
    {"FF_WAIT_REPLICAS", "0", "<replicas 0..16>[:<ms 1..5000>]; ms 1000",
     "answer a change once this many replicas of its primary have it", wait_replicas},
    {"FF_DATA_DIR", "./flowfabric-data", "a folder, or :memory:", "data of the embedded store",
     data_dir},
    {"FF_BACKUP_DIR", "", "a folder", "backups that are asked for over HTTP are written below it",
     text<&S::backup_dir>},
    {"FF_FSYNC", "always", "always, interval:<ms>, off",
     "when the embedded store waits for the disk", fsync},
    {"FF_SHARDS", "0", "0..64; 0: as the folder has it, or half the cores",
     "threads of the embedded store, fixed when its folder is made", number<&S::shards, 0, 64>},
    {"FF_LUA_JIT", "on", "on, off",
     "compile the functions of the embedded store to machine code, or interpret them", lua_jit},
    {"FF_MEMORY_LIMIT", "70%",
     "bytes, <n>KiB, <n>MiB, <n>GiB, <n>% of what the process may use, or off",
     "memory of the embedded store; new work is refused before it is reached", memory_limit},
    {"FF_CLOCK_JUMP_MAX_MS", "600000", "0 (no limit), 120000..31622400000",
     "a larger jump of the clock ahead is doubted: nothing is deleted or timed out because of it",
     clock_jump_max},
    {"FF_CLOCK_GRACE_MS", "600000", "1000..86400000",
     "how long a doubted jump is held off before it is accepted",
     number<&S::clock_grace, 1000, 86400000>},
    {"FF_LEASE_GRACE_MS", "30000", "0..3600000",
     "longest extension of leases after a stop or stall in which they could not be renewed",
     number<&S::lease_grace_max, 0, 3600000>},
    {"FF_TEST_CLOCK", "false", "boolean; in memory only",
     "tests may move the store's time ahead (POST /v1/test/clock)", boolean<&S::test_clock>, true},
    {"FF_SLOW_CALL_MS", "500", "0 (none), 1..3600000",
     "a call of the embedded store that takes longer is logged and counted with its cause",
     number<&S::slow_call, 0, 3600000>},
    {"FF_RECOVERY_TARGET_S", "10", "1..3600",
     "a snapshot is due when replaying the log would take longer at the next start",
     number<&S::recovery_target_s, 1, 3600>},
    {"FF_RESP_ADDR", "", "host:port", "address at which Valkey clients reach the embedded store",
     address<&S::resp_listen>},
    {"FF_RESP_PASSWORD", "", "never logged", "password that such clients need",
     text<&S::resp_password>},
    {"FF_LISTEN_ADDR", "127.0.0.1:9090", "host:port; port 0: any free one",
     "where the API is served", address<&S::listen>},
    {"FF_LISTEN_UNIX", "", "path of a socket", "unix socket on which the API is served as well",
     text<&S::listen_unix>},
    {"FF_INSECURE_LISTEN", "false", "boolean", "serve other machines even without FF_API_TOKEN",
     boolean<&S::insecure_listen>, true},
    {"FF_LISTEN_TLS_CERT_FILE", "", "PEM file; read again at SIGHUP",
     "serve HTTPS with this certificate chain", text<&S::listen_tls_cert_file>},
    {"FF_LISTEN_TLS_KEY_FILE", "", "PEM file; read again at SIGHUP",
     "private key of that certificate", text<&S::listen_tls_key_file>},
    {"FF_MAX_CONNECTIONS", "16384", "1..1000000", "connections of clients at a time",
     number<&S::connections_max, 1, kManyThings>},
    {"FF_HEADER_TIMEOUT_MS", "10000", "100..3600000",
     "from the first byte of a request to the end of its header block",
     number<&S::head_timeout, 100, 3600000>},
    {"FF_BODY_TIMEOUT_MS", "10000", "100..3600000",
     "how long a body may take that comes slower than FF_BODY_MIN_BYTES_PER_SECOND",
     number<&S::body_timeout, 100, 3600000>},
    {"FF_BODY_MIN_BYTES_PER_SECOND", "16384", "1..1000000",
     "rate at which a body may take longer than FF_BODY_TIMEOUT_MS",
     number<&S::body_bytes_per_second_min, 1, kManyThings>},
    {"FF_METRICS_ADDR", "", "host:port", "serve /metrics at this address only",
     address<&S::metrics_listen>},
    {"FF_METRICS_PUBLIC", "false", "boolean", "serve /metrics without the token",
     boolean<&S::metrics_public>, true},
    {"FF_API_TOKEN", "", "never logged; empty: unset", "what clients must present as bearer token",
     text<&S::api_token>},
    {"FF_GUEST_REQUESTS_PER_MINUTE", "120", "1..1000000",
     "requests without FF_API_TOKEN that one address (of IPv6: one /64 network) may make: signals "
     "with a waitpoint token, approval pages",
     inner_number<&S::guests, &Guests::per_minute, 1, kManyThings>},
    {"FF_GUEST_REQUESTS_PER_MINUTE_IN_ALL", "3000", "1..1000000",
     "such requests of all addresses together",
     inner_number<&S::guests, &Guests::per_minute_in_all, 1, kManyThings>},
    {"FF_MAX_CONCURRENT_GUESTS", "64", "1..1000000",
     "such requests at a time; one address has a quarter of them",
     inner_number<&S::guests, &Guests::at_a_time, 1, kManyThings>},
    {"FF_CORS_ORIGINS", "", "* or a comma list; unset: none",
     "other origins whose pages may use the API", cors},
    {"FF_ALLOWED_HOSTS", "", "* or a comma list of names",
     "names that clients may call this server by, beside localhost, IP addresses, the host of "
     "FF_LISTEN_ADDR and the machine's own name",
     allowed_hosts},
    {"FF_PUBLIC_URL", "", "http://... or https://..., with a path or without",
     "where people reach this server: links are made of it, its host is one of this server's "
     "names, and what comes below its path is answered",
     public_url},
    {"FF_SSE_QUERY_TOKEN", "false", "boolean", "accept the token as access_token of an SSE query",
     boolean<&S::sse_query_token>, true},
    {"FF_ACCESS_LOG", "errors", "off, errors, all",
     "which requests are logged; errors are those of the server", access_log},
    {"FF_CONSOLE", "on", "boolean", "serve the web console at /console/", boolean<&S::console>,
     true},
    {"FF_BODY_LIMIT_LARGE_BYTES", "1048576", "bytes", "limit of create and complete",
     inner_number<&S::bodies, &Limits::large, 1024, kManyBytes>},
    {"FF_BODY_LIMIT_MEDIUM_BYTES", "262144", "bytes", "limit of signals",
     inner_number<&S::bodies, &Limits::medium, 1024, kManyBytes>},
    {"FF_BODY_LIMIT_CONTROL_BYTES", "65536", "bytes", "limit of every other body",
     inner_number<&S::bodies, &Limits::control, 1024, kManyBytes>},
    {"FF_MAX_CONCURRENT_STREAM_OPS", "64", "1..1000000", "stream reads, tails and waits at a time",
     early_number<&RawSettings::stream_ops>},
    {"FF_MAX_CONCURRENT_TAIL", "64", "1..1000000",
     "older name of FF_MAX_CONCURRENT_STREAM_OPS, which wins",
     early_number<&RawSettings::stream_ops_by_old_name>},
    {"FF_TAIL_POOL_SIZE", "as stream ops", "1..1000000", "connections for blocking reads",
     early_number<&RawSettings::tail_pool_size>},
    {"FF_MAX_SSE_CONNECTIONS", "1024", "1..1000000", "SSE connections at a time",
     inner_number<&S::pools, &Sizes::sse, 1, kManyThings>},
    {"FF_MAX_CONCURRENT_CLAIM_WAITS", "1024", "1..1000000", "waiting claims at a time",
     inner_number<&S::pools, &Sizes::claim_waits, 1, kManyThings>},
    {"FF_LANES", "default", "comma list", "lanes that are there from the start", lanes},
    {"FF_FLOW_PARTITIONS", "256", "1..65535, fixed for the life of the data",
     "partitions of executions and flows", count<&Counts::flow>},
    {"FF_BUDGET_PARTITIONS", "32", "1..65535, fixed for the life of the data",
     "partitions of budgets", count<&Counts::budget>},
    {"FF_QUOTA_PARTITIONS", "32", "1..65535, fixed for the life of the data",
     "partitions of quotas", count<&Counts::quota>},
    {"FF_SOLO_PARTITION_OVERRIDES", "", "lane=index[,...]; the same on every server",
     "fixed places of lanes", solo_overrides},
    {"FF_LANE_SPREAD", "1 on valkey, the shards on embedded",
     "n[,lane=n...]; the same on every server", "partitions that a lane's own work is spread over",
     lane_spread},
    {"FF_DEFAULT_POLICY", "", "an ExecutionPolicy as JSON; the same on every server",
     "policy of executions where neither they nor their lane say otherwise", default_policy},
    {"FF_WAITPOINT_HMAC_SECRET", "",
     "even number of hex digits, 64 recommended; required with valkey; never logged",
     "signs waitpoint tokens; embedded: made at the first boot and kept in the data folder",
     secret},
    {"FF_WAITPOINT_HMAC_GRACE_MS", "86400000", "ms", "life of rotated secrets",
     number<&S::waitpoint_grace, 0, kManyMs>},
    {"FF_REDACT_WAITPOINT_TOKENS", "false", "boolean", "listings never show waitpoint tokens",
     boolean<&S::redact_waitpoint_tokens>, true},
    {"FF_FEED_MAXLEN", "4000", "100..1000000", "events that each feed keeps",
     number<&S::feed_maxlen, 100, kManyThings>},
    {"FF_FEED_POLL_MS", "200", "10..60000", "how often feeds are looked at where nothing can wake",
     number<&S::feed_poll, 10, 60000>},
    {"FF_COMPLETION_LISTENER", "true", "boolean", "move flows on as soon as a member ends",
     boolean<&S::completion_listener>, true},
    {"FF_COMPLETION_DISPATCH_CONCURRENCY", "32", "1..1024",
     "completions of flow members handled at a time", number<&S::completion_concurrency, 1, 1024>},
    {"FF_RETENTION_DEFAULT_MS", "86400000", "ms", "life of an ended execution",
     number<&S::retention_default, 0, 10 * kManyMs>},
    {"FF_FLOW_RETENTION_MS", "604800000", "ms", "life of an ended flow",
     number<&S::flow_retention, 0, 10 * kManyMs>},
    {"FF_BUDGET_LEDGER_TTL_MS", "2592000000", "ms", "life of spend ledgers",
     number<&S::budget_ledger_ttl, 1, 10 * kManyMs>},
    {"FF_SECONDARY_INDEXES", "on", "boolean", "list executions by namespace and tag",
     boolean<&S::secondary_indexes>, true},
    {"FF_SCANNERS_ENABLED", "true", "boolean", "false: serve the API only",
     boolean<&S::scanners_enabled>, true},
    {"FF_SCANNER_SHARD", "0/1", "i/n with i < n", "scan the partitions p with p mod n = i",
     scanner_shard},
    {"FF_SCANNER_NAMESPACE", "", "a namespace", "scan executions of this namespace only",
     scanner_namespace},
    {"FF_SCANNER_INSTANCE_TAG", "", "key=value", "scan executions with this tag only", scanner_tag},
    interval("FF_LEASE_EXPIRY_INTERVAL_MS", "1500"),
    interval("FF_DELAYED_PROMOTER_INTERVAL_MS", "750"),
    interval("FF_ATTEMPT_TIMEOUT_INTERVAL_S", "2"),
    interval("FF_EXECUTION_DEADLINE_INTERVAL_S", "5"),
    interval("FF_SUSPENSION_TIMEOUT_INTERVAL_S", "2"),
    interval("FF_PENDING_WP_EXPIRY_INTERVAL_S", "5"),
    interval("FF_UNBLOCK_INTERVAL_S", "5"),
    interval("FF_CASCADE_DRAINER_INTERVAL_MS", "1000"),
    interval("FF_DEPENDENCY_RECONCILER_INTERVAL_S", "15"),
    interval("FF_CANCEL_RECONCILER_INTERVAL_S", "15"),
    interval("FF_EDGE_CANCEL_DISPATCHER_INTERVAL_S", "1"),
    interval("FF_EDGE_CANCEL_RECONCILER_INTERVAL_S", "10"),
    interval("FF_FLOW_PROJECTOR_INTERVAL_S", "15"),
    interval("FF_INDEX_RECONCILER_INTERVAL_S", "45"),
    interval("FF_RETENTION_TRIMMER_INTERVAL_S", "60"),
    interval("FF_FLOW_RETENTION_INTERVAL_S", "60"),
    interval("FF_BUDGET_RESET_INTERVAL_S", "15"),
    interval("FF_BUDGET_RECONCILER_INTERVAL_S", "30"),
    interval("FF_QUOTA_RECONCILER_INTERVAL_S", "30"),
    interval("FF_QUOTA_RELEASE_INTERVAL_MS", "250"),
    interval("FF_LANE_COUNTS_INTERVAL_S", "30"),
    {"FF_SHUTDOWN_GRACE_MS", "15000", "ms up to a day", "how long each step of a shutdown may take",
     number<&S::shutdown_grace, 0, 86400000>},
    {"FF_LOG", "info", "error, warn, info, debug, trace", "what is logged; audit events always are",
     log_level},
};

}  // namespace

std::string Setting::flag() const {
    std::string out = "--";
    for (const char c : name.substr(3))
        out += c == '_' ? '-' : static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

std::span<const Setting> setting_table() {
    return kTable;
}

}  // namespace ff::app
