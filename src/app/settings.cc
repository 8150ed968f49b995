#include "app/settings.h"

#include <cstdlib>
#include <utility>

#include "app/setting_table.h"

namespace ff::app {
namespace {

bool is_loopback(const std::string& host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

Result<Done> check_partitions(RawSettings& raw) {
    Settings& settings = raw.settings;
    FF_TRY(settings.partitions, model::PartitionConfig::create(raw.counts));
    auto partitioner = model::LanePartitioner::parse(raw.solo_overrides, settings.partitions);
    if (!partitioner.has_value())
        return invalid_input("FF_SOLO_PARTITION_OVERRIDES", partitioner.error().text());
    settings.partitioner = *std::move(partitioner);
    const std::uint16_t most = settings.partitions.num_flow_partitions();
    bool fits = settings.lane_spread.value_or(1) <= most;
    for (const auto& [lane, width] : settings.lane_spread_overrides) fits = fits && width <= most;
    if (!fits) return invalid_input("FF_LANE_SPREAD", "more than FF_FLOW_PARTITIONS");
    return Done{};
}

Result<Done> check_doors(const Settings& settings) {
    if (settings.listen_tls_cert_file.empty() != settings.listen_tls_key_file.empty())
        return invalid_input(settings.listen_tls_cert_file.empty() ? "FF_LISTEN_TLS_CERT_FILE"
                                                                   : "FF_LISTEN_TLS_KEY_FILE",
                             "certificate and key go together");
    if (settings.api_token.empty() && !settings.insecure_listen &&
        !is_loopback(settings.listen.host))
        return invalid_input("FF_LISTEN_ADDR",
                             "without FF_API_TOKEN only this machine is served; set "
                             "FF_INSECURE_LISTEN=true to serve others all the same");
    for (const char c : settings.api_token)
        if (c <= ' ' || c > '~')
            return invalid_input("FF_API_TOKEN", "holds what a header cannot carry");
    if (settings.resp_listen && settings.backend != Backend::Embedded)
        return invalid_input("FF_RESP_ADDR", "only the embedded store has this door");
    return Done{};
}

Result<Done> check_test_clock(const Settings& settings) {
    if (!settings.test_clock) return Done{};
    if (settings.backend != Backend::Embedded)
        return invalid_input("FF_TEST_CLOCK",
                             "the time of a Valkey cannot be moved; test with the embedded store "
                             "in memory (FF_BACKEND=embedded, FF_DATA_DIR=:memory:)");
    if (!settings.in_memory())
        return invalid_input("FF_TEST_CLOCK",
                             "refused for data that is kept, because time that was moved ahead "
                             "cannot be taken back; set FF_DATA_DIR=:memory:, or leave it off");
    return Done{};
}

/// What depends on more than one setting.
Result<Settings> finish(RawSettings raw) {
    Settings& settings = raw.settings;
    FF_CHECK(check_partitions(raw));
    FF_CHECK(check_doors(settings));
    FF_CHECK(check_test_clock(settings));
    if (settings.backend == Backend::Valkey && settings.waitpoint_secret_hex.empty())
        return invalid_input("FF_WAITPOINT_HMAC_SECRET", "required with FF_BACKEND=valkey");
    if (settings.lanes.empty()) settings.lanes.push_back(*model::LaneId::parse("default"));
    const auto stream_ops = raw.stream_ops ? raw.stream_ops : raw.stream_ops_by_old_name;
    settings.pools.stream_ops = stream_ops.value_or(settings.pools.stream_ops);
    settings.tail_pool_size = raw.tail_pool_size.value_or(settings.pools.stream_ops);
    return std::move(settings);
}

}  // namespace

std::string_view to_string(Backend backend) {
    return backend == Backend::Valkey ? "valkey" : "embedded";
}

std::optional<std::string> process_environment(std::string_view name) {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

Result<Settings> Settings::read(const Environment& environment) {
    return read(environment, {});
}

Result<Settings> Settings::read(const Environment& environment, const Flags& flags) {
    RawSettings raw;
    for (const Setting& setting : setting_table()) {
        const auto flag = flags.find(setting.flag());
        if (flag != flags.end()) {
            FF_CHECK(setting.apply(raw, flag->second, flag->first));
        } else if (const auto value = environment(setting.name)) {
            FF_CHECK(setting.apply(raw, *value, setting.name));
        }
    }
    return finish(std::move(raw));
}

}  // namespace ff::app
