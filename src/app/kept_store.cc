#include "app/kept_store.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ff::app {
namespace {

/// The functions that sign or check waitpoint tokens. Only they are kept for a second call.
constexpr std::array<std::string_view, 5> kSigning{
    "ff_suspend_execution", "ff_create_pending_waitpoint", "ff_remint_waitpoint_token",
    "ff_deliver_signal", "ff_buffer_signal_for_pending_waitpoint"};

bool signs(const store::Call& call) {
    const auto args = call.command.args();
    return args.size() > 1 && std::ranges::find(kSigning, args[1]) != kSigning.end();
}

bool lacks_secret(const Result<store::Reply>& reply) {
    if (!reply.has_value()) return false;
    const auto items = reply->items();
    return items.size() > 1 && items[0].to_integer() == 0 &&
           items[1].text() == "hmac_secret_not_initialized";
}

}  // namespace

Task<store::Reply> KeptStore::fcall(store::Call call) {
    if (!signs(call)) return inside_.fcall(std::move(call));
    return fcall_kept(std::move(call));
}

Task<store::Reply> KeptStore::fcall_kept(store::Call call) {
    store::Call again = call;
    Result<store::Reply> reply = co_await inside_.fcall(std::move(call));
    if (!lacks_secret(reply)) co_return reply;
    const Result<Done> restored = co_await keeper_.restore();
    if (!restored.has_value()) co_return reply;
    co_return co_await inside_.fcall(std::move(again));
}

}  // namespace ff::app
