#include "valkey/version.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/numbers.h"
#include "model/error_catalogue.h"
#include "model/transport_kind.h"

namespace ff::valkey {
namespace {

constexpr std::uint64_t kValkeyLeast = 8;
constexpr std::uint64_t kWithRedisLeast = 7;

Error not_understood(std::string_view what) {
    return model::storage_error(model::TransportKind::ParseError,
                                "INFO server: " + std::string(what));
}

std::string_view trim(std::string_view text) {
    constexpr std::string_view kBlank = " \t\r\n";
    const std::size_t first = text.find_first_not_of(kBlank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

/// What the lines that matter say.
struct Facts {
    std::optional<std::string_view> valkey{};
    std::optional<std::string_view> redis{};
    bool named_valkey = false;
};

void note(Facts& facts, std::string_view line) {
    constexpr std::string_view kValkey = "valkey_version:";
    constexpr std::string_view kRedis = "redis_version:";
    if (line.starts_with(kValkey) && !facts.valkey) facts.valkey = line.substr(kValkey.size());
    if (line.starts_with(kRedis) && !facts.redis) facts.redis = line.substr(kRedis.size());
    if (line == "server_name:valkey") facts.named_valkey = true;
}

Facts read_facts(std::string_view body) {
    Facts facts;
    while (!body.empty()) {
        const std::size_t end = std::min(body.find('\n'), body.size());
        std::string_view line = body.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        note(facts, line);
        body.remove_prefix(std::min(end + 1, body.size()));
    }
    return facts;
}

/// The one that decides about both.
ServerVersion worse(const ServerVersion& a, const ServerVersion& b) {
    if (a.major != b.major) return a.major < b.major ? a : b;
    return a.product == ServerProduct::Redis ? a : b;
}

}  // namespace

Result<ServerVersion> parse_version(std::string_view body) {
    const Facts facts = read_facts(body);
    if (!facts.valkey && !facts.redis) return not_understood("the version line is missing");
    const std::string_view text = trim(facts.valkey ? *facts.valkey : *facts.redis);
    const std::string_view major = trim(text.substr(0, text.find('.')));
    if (major.empty()) return not_understood("empty major version in " + std::string(text));
    const auto number = parse_u64(major);
    if (!number) return not_understood("non-numeric major version in " + std::string(text));
    const bool valkey = facts.valkey.has_value() || facts.named_valkey;
    return ServerVersion{.product = valkey ? ServerProduct::Valkey : ServerProduct::Redis,
                         .major = *number,
                         .text = std::string(text)};
}

Result<ServerVersion> lowest_version(const resp::Value& reply) {
    if (const auto body = reply.text()) {
        if (reply.type() == resp::Type::BigNumber) return not_understood("not a text");
        return parse_version(*body);
    }
    if (reply.type() != resp::Type::Map || reply.pair_count() == 0)
        return not_understood("neither a text nor a map of texts");
    std::optional<ServerVersion> lowest;
    const auto flat = reply.items();
    for (std::size_t pair = 0; pair < reply.pair_count(); ++pair) {
        const auto body = flat[pair * 2 + 1].text();
        if (!body) return not_understood("a node answered no text");
        FF_TRY(const ServerVersion version, parse_version(*body));
        lowest = lowest ? worse(*lowest, version) : version;
    }
    return *lowest;
}

bool may_crash_at_full_resync(const ServerVersion& version) {
    constexpr std::array<std::uint64_t, 3> kFixed{8, 1, 5};
    if (version.product != ServerProduct::Valkey) return false;
    std::string_view rest = version.text;
    for (const std::uint64_t fixed : kFixed) {
        const std::size_t dot = std::min(rest.find('.'), rest.size());
        const std::uint64_t number = parse_u64(rest.substr(0, dot)).value_or(0);
        if (number != fixed) return number < fixed;
        rest.remove_prefix(std::min(dot + 1, rest.size()));
    }
    return false;
}

bool VersionCheck::accepts(const ServerVersion& version) const {
    if (allow_redis_) return version.major >= kWithRedisLeast;
    return version.product == ServerProduct::Valkey && version.major >= kValkeyLeast;
}

Error VersionCheck::too_low(const ServerVersion& version) const {
    const std::string product = version.product == ServerProduct::Valkey ? "Valkey" : "Redis";
    const std::string required = allow_redis_ ? "7.0" : "8.0";
    Error error = model::make_error("store_version_too_low", {version.text, required});
    error.message = "the store is " + product + " " + version.text + "; required is " +
                    (allow_redis_ ? "Valkey or Redis " : "Valkey ") + required + " or later";
    return error;
}

VersionCheck::Step VersionCheck::on_answer(const Result<ServerVersion>& answer,
                                           std::chrono::milliseconds elapsed) {
    if (answer.has_value() && accepts(*answer)) return {};
    Error error = answer.has_value() ? too_low(*answer) : answer.error();
    const bool unclear = error.kind == model::to_string(model::TransportKind::ParseError);
    const bool worth = answer.has_value() || unclear || error.cls == ErrorClass::Retryable;
    if (!worth || elapsed + pause_ > kBudget)
        return {.kind = Step::Kind::Fail, .error = std::move(error)};
    const std::chrono::milliseconds pause = pause_;
    pause_ = std::min(pause_ * 2, kPauseMax);
    return {.kind = Step::Kind::Retry, .error = std::move(error), .pause = pause};
}

}  // namespace ff::valkey
