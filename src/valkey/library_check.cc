#include "valkey/library_check.h"

#include <array>

#include "base/numbers.h"
#include "model/error_catalogue.h"
#include "model/transport_kind.h"

namespace ff::valkey {
namespace {

using store::Reply;

bool is_kind(const Error& error, model::TransportKind kind) {
    return error.kind == model::to_string(kind);
}

/// What passes by itself, or with a fresh topology.
bool is_transient(const Error& error) {
    using enum model::TransportKind;
    return error.cls == ErrorClass::Retryable || is_kind(error, ReadOnly) ||
           is_kind(error, Moved) || is_kind(error, FatalReceive) || is_kind(error, MasterDown);
}

bool does_not_compile(const Error& error) {
    return error.message.find("Error compiling") != std::string::npos ||
           error.message.find("syntax error") != std::string::npos;
}

}  // namespace

LibraryCheck::Step LibraryCheck::on_version(const Result<Reply>& reply) {
    if (!reply.has_value()) {
        const bool unknown = is_kind(reply.error(), model::TransportKind::NoScript) ||
                             is_kind(reply.error(), model::TransportKind::ResponseError);
        return unknown ? needs_load("none") : on_failure(reply.error());
    }
    const std::string found(reply->text().value_or(""));
    const auto version = parse_i64(found);
    if (!version || *version < library_.version) return needs_load(found.empty() ? "none" : found);
    if (*version > library_.version) return Step::DoneNewer;
    return loaded_ ? Step::Done : Step::AskInfo;
}

LibraryCheck::Step LibraryCheck::on_info(const Result<Reply>& reply) {
    if (!reply.has_value() && is_transient(reply.error())) return on_failure(reply.error());
    constexpr std::size_t kDigestPosition = 3;
    if (reply.has_value() && reply->items().size() > kDigestPosition &&
        reply->items()[kDigestPosition].text() == library_.digest)
        return Step::Done;
    return Step::Load;
}

LibraryCheck::Step LibraryCheck::on_loaded(const Result<Reply>& reply) {
    if (!reply.has_value()) return on_failure(reply.error());
    loaded_ = true;
    return Step::AskVersion;
}

LibraryCheck::Step LibraryCheck::needs_load(const std::string& found) {
    if (!loaded_) return Step::Load;
    const std::string expected = std::to_string(library_.version);
    error_ = model::make_error("library_version_mismatch", {expected, found});
    error_.message =
        "the function library is of version " + found + " after loading version " + expected;
    return Step::Fail;
}

LibraryCheck::Step LibraryCheck::on_failure(const Error& error) {
    error_ = error;
    return is_transient(error) && !does_not_compile(error) ? Step::Retry : Step::Fail;
}

}  // namespace ff::valkey
