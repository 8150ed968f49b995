#include "valkey/redirect.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/numbers.h"
#include "model/slot.h"
#include "model/transport_kind.h"
#include "store/reply_errors.h"

namespace ff::valkey {
namespace {

using model::TransportKind;

constexpr std::chrono::milliseconds kFirstPause{10};
constexpr int kDoublingsMax = 4;

/// `MOVED <slot> <host>:<port>`; the host may be missing, and an IPv6 one has no brackets.
struct Redirection {
    std::uint16_t slot = 0;
    net::Address to{};
};

std::optional<Redirection> parse_redirection(std::string_view line, const net::Address& from) {
    const std::size_t first = line.find(' ');
    const std::size_t second = line.find(' ', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) return std::nullopt;
    const auto slot = parse_u64(line.substr(first + 1, second - first - 1));
    const std::string_view place = line.substr(second + 1);
    const std::size_t colon = place.rfind(':');
    if (!slot || *slot >= model::kSlotCount || colon == std::string_view::npos) return std::nullopt;
    const auto port = parse_u64(place.substr(colon + 1));
    if (!port || *port == 0 || *port > 65535) return std::nullopt;
    const std::string_view host = place.substr(0, colon);
    const bool unsaid = host.empty() || host == "?";
    return Redirection{.slot = static_cast<std::uint16_t>(*slot),
                       .to = {.host = unsaid ? from.host : std::string(host),
                              .port = static_cast<std::uint16_t>(*port)}};
}

}  // namespace

Step RedirectFsm::on_reply(const resp::Value& reply, const net::Address& from) {
    if (!reply.is_error()) return {};
    const std::string_view line = reply.error_text();
    const TransportKind kind = store::kind_of_error_reply(line);
    if (kind == TransportKind::Moved || kind == TransportKind::Ask)
        return redirect(line, kind == TransportKind::Ask, from);
    Error error = model::storage_error(kind, std::string(line));
    const bool unblocked = reply.error_code() == "UNBLOCKED";
    if (kind == TransportKind::TryAgain || kind == TransportKind::ClusterDown ||
        kind == TransportKind::BusyLoading || unblocked) {
        return wait_and_retry(std::move(error));
    }
    if (kind == TransportKind::ReadOnly) return after_read_only(std::move(error));
    return {};
}

Step RedirectFsm::redirect(std::string_view line, bool ask, const net::Address& from) {
    const std::optional<Redirection> found = parse_redirection(line, from);
    if (!found)
        return fail(model::storage_error(TransportKind::ParseError,
                                         "redirection not understood: " + std::string(line)));
    Error error =
        model::storage_error(ask ? TransportKind::Ask : TransportKind::Moved, std::string(line));
    if (++hops_ > kHopsMax) return fail(error);
    Step step{.kind = Step::Kind::Again, .error = std::move(error), .to = found->to, .asking = ask};
    if (!ask) {
        step.moved_slot = found->slot;
        step.refresh = Step::Refresh::Meanwhile;
    }
    return step;
}

Step RedirectFsm::wait_and_retry(Error error) {
    if (++waits_ > kWaitsMax) return fail(error);
    const auto pause = kFirstPause * (1 << (waits_ - 1));
    return Step{.kind = Step::Kind::Again,
                .error = std::move(error),
                .refresh = Step::Refresh::Meanwhile,
                .pause = pause};
}

Step RedirectFsm::after_read_only(Error error) {
    if (std::exchange(was_read_only_, true)) return fail(error);
    return Step{
        .kind = Step::Kind::Again, .error = std::move(error), .refresh = Step::Refresh::First};
}

Step RedirectFsm::on_failure(const Failure& failure) {
    maybe_ran_ = maybe_ran_ || failure.sent == Sent::Maybe;
    if (!failure.worth_retrying || (failure.sent == Sent::Maybe && !resend_safe_))
        return fail(failure.error);
    return Step{.kind = Step::Kind::Again,
                .error = failure.error,
                .refresh = Step::Refresh::First,
                .pause = next_pause()};
}

Step RedirectFsm::fail(const Error& error) const {
    return Step{.kind = Step::Kind::Fail, .error = honest(error)};
}

Error RedirectFsm::honest(const Error& error) const {
    if (!maybe_ran_ || error.cls != ErrorClass::Retryable) return error;
    return model::storage_error(TransportKind::FatalReceive,
                                "an earlier attempt may have been executed; then: " + error.text());
}

std::chrono::milliseconds RedirectFsm::next_pause() {
    const int doublings = std::min(pauses_++, kDoublingsMax);
    return kFirstPause * (1 << doublings);
}

}  // namespace ff::valkey
