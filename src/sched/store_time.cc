#include "sched/store_time.h"

#include "model/transport_kind.h"

namespace ff::sched {

Task<Timestamp> store_time(store::Store& store) {
    store::Call ask = store::plain({"TIME"}, true);
    FF_CO_TRY(const store::Reply reply, co_await store.call(std::move(ask)));
    const auto parts = reply.items();
    const auto seconds = parts.size() == 2 ? parts[0].to_integer() : std::nullopt;
    const auto micros = parts.size() == 2 ? parts[1].to_integer() : std::nullopt;
    if (!seconds || !micros)
        co_return model::storage_error(model::TransportKind::ParseError, "TIME");
    co_return timestamp_from_ms(*seconds * 1000 + *micros / 1000);
}

}  // namespace ff::sched
