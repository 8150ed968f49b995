#include "app/boot.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "app/partition_record.h"
#include "base/log.h"
#include "hub/waitpoint_secrets.h"
#include "model/global_keys.h"
#include "model/index_keys.h"

namespace ff::app {
namespace {

constexpr const char* kFirstKid = "k1";

Task<Done> install_secrets(StoreBackend& backend, const Settings& settings, Random& random) {
    FF_CO_TRY(std::string secret, backend.waitpoint_secret());
    hub::WaitpointSecrets secrets(random, backend.store(), settings.partitions);
    FF_CO_CHECK(co_await secrets.install(kFirstKid, std::move(secret)));
    co_return Done{};
}

/// A cap that is there already is not written again, so that a boot on old data costs no writes.
Task<Done> set_feed_caps(store::Store& store, const Settings& settings) {
    const std::string wanted = std::to_string(settings.feed_maxlen);
    const std::uint16_t count = settings.partitions.num_flow_partitions();
    std::vector<store::Call> reads;
    for (std::uint16_t i = 0; i < count; ++i)
        reads.push_back(store::plain({"HGET", model::IndexKeys(i).feed_seq(), "maxlen"}, true));
    std::vector<Result<store::Reply>> found = co_await store.pipeline(std::move(reads));
    std::vector<store::Call> writes;
    for (std::uint16_t i = 0; i < count; ++i) {
        if (!found[i].has_value()) co_return std::move(found[i]).error();
        if (found[i]->text() == wanted) continue;
        writes.push_back(
            store::plain({"HSET", model::IndexKeys(i).feed_seq(), "maxlen", wanted}, true));
    }
    if (writes.empty()) co_return Done{};
    std::vector<Result<store::Reply>> written = co_await store.pipeline(std::move(writes));
    for (Result<store::Reply>& reply : written)
        if (!reply.has_value()) co_return std::move(reply).error();
    co_return Done{};
}

Task<Done> register_lanes(store::Store& store, const Settings& settings) {
    store::Call enter = store::plain({"SADD", model::kLanesKey}, true);
    for (const model::LaneId& lane : settings.lanes) enter.command.arg(lane.text());
    FF_CO_CHECK(co_await store.call(std::move(enter)));
    co_return Done{};
}

/// Opens the first connection for blocking reads, and reads nothing on it: a server whose tails
/// cannot read should not say that it is ready.
Task<Done> open_tail_pool(store::Store& store) {
    const std::string nothing = model::IndexKeys(0).noop();
    store::Call look =
        store::plain({"XREAD", "COUNT", "1", "BLOCK", "1", "STREAMS", nothing, "0-0"}, true);
    FF_CO_CHECK(co_await store.blocking_read(std::move(look)));
    co_return Done{};
}

}  // namespace

Task<Done> prepare_store(StoreBackend& backend, const Settings& settings, Random& random) {
    if (settings.guest) co_return co_await backend.ensure_library();
    FF_CO_CHECK(co_await agree_on_partitions(backend.store(), settings.partitions));
    FF_CO_CHECK(co_await backend.ensure_library());
    FF_CO_CHECK(co_await install_secrets(backend, settings, random));
    FF_CO_CHECK(co_await set_feed_caps(backend.store(), settings));
    FF_CO_CHECK(co_await register_lanes(backend.store(), settings));
    if (settings.backend == Backend::Valkey) {
        FF_CO_CHECK(co_await open_tail_pool(backend.store()));
    }
    co_return Done{};
}

}  // namespace ff::app
