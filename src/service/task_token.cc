// Layout before base64url without padding, integers little-endian:
//   u8 2, u8 1 (version), u8 store, text execution id, u32 attempt index, text attempt id,
//   text lease id, u64 lease epoch, u64 lease ttl ms, text lane, text worker instance id
// where text is a u32 length and its bytes.
#include "service/task_token.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/bytes.h"
#include "model/refusal.h"

namespace ff::service {
namespace {

constexpr std::uint8_t kFormat = 2;
constexpr std::uint8_t kVersion = 1;

Error refused(std::string_view reason) {
    return model::refuse("task_token:" + std::string(reason));
}

template <class T>
void put(std::string& out, T value) {
    char bytes[sizeof(T)];
    for (std::size_t i = 0; i < sizeof(T); ++i)
        bytes[i] = static_cast<char>((value >> (8U * i)) & 0xffU);
    out.append(bytes, sizeof(T));
}

void put_text(std::string& out, std::string_view text) {
    put(out, static_cast<std::uint32_t>(text.size()));
    out.append(text);
}

class Reader {
  public:
    explicit Reader(std::string_view bytes) : rest_(bytes) {}

    template <class T>
    Result<T> number() {
        if (rest_.size() < sizeof(T)) return refused("truncated");
        T value = 0;
        for (std::size_t i = sizeof(T); i-- > 0;) {
            value = static_cast<T>((static_cast<std::uint64_t>(value) << 8U) |
                                   static_cast<std::uint8_t>(rest_[i]));
        }
        rest_.remove_prefix(sizeof(T));
        return value;
    }

    Result<std::string_view> text() {
        FF_TRY(const std::uint32_t size, number<std::uint32_t>());
        if (rest_.size() < size) return refused("truncated");
        const std::string_view text = rest_.substr(0, size);
        if (!is_utf8(text)) return refused("not_utf8");
        rest_.remove_prefix(size);
        return text;
    }

    template <class Id>
    Result<Id> id() {
        FF_TRY(const std::string_view taken, text());
        auto parsed = Id::parse(taken);
        if (!parsed) return refused("bad_id");
        return *std::move(parsed);
    }

    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view rest_;
};

std::optional<std::string> from_base64url(std::string_view text) {
    if (text.find_first_of("+/=") != std::string_view::npos) return std::nullopt;
    std::string standard(text);
    std::replace(standard.begin(), standard.end(), '-', '+');
    std::replace(standard.begin(), standard.end(), '_', '/');
    return from_base64(standard);
}

Result<TokenStore> read_head(Reader& reader) {
    FF_TRY(const auto format, reader.number<std::uint8_t>());
    if (format != kFormat) return refused("unknown_format");
    FF_TRY(const auto version, reader.number<std::uint8_t>());
    if (version != kVersion) return refused("unknown_version");
    FF_TRY(const auto store, reader.number<std::uint8_t>());
    for (const TokenStore known : {TokenStore::Valkey, TokenStore::Embedded}) {
        if (store == static_cast<std::uint8_t>(known)) return known;
    }
    return refused("unknown_store");
}

}  // namespace

Result<TaskToken> TaskToken::decode(std::string_view text) {
    const auto bytes = from_base64url(text);
    if (!bytes) return refused("not_base64");
    Reader reader(*bytes);
    FF_TRY(const TokenStore store, read_head(reader));
    FF_TRY(const auto execution_id, reader.id<model::ExecutionId>());
    FF_TRY(const auto attempt_index, reader.number<std::uint32_t>());
    FF_TRY(const auto attempt_id, reader.id<model::AttemptId>());
    FF_TRY(const auto lease_id, reader.id<model::LeaseId>());
    FF_TRY(const auto epoch, reader.number<std::uint64_t>());
    FF_TRY(const auto ttl, reader.number<std::uint64_t>());
    FF_TRY(auto lane_id, reader.id<model::LaneId>());
    FF_TRY(auto worker_id, reader.id<model::WorkerInstanceId>());
    if (!reader.at_end()) return refused("trailing_bytes");
    if (ttl > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return refused("bad_id");
    return TaskToken{
        .store = store,
        .execution_id = execution_id,
        .attempt_index = {attempt_index},
        .fence = {.lease_id = lease_id, .lease_epoch = {epoch}, .attempt_id = attempt_id},
        .lease_ttl = Millis(static_cast<std::int64_t>(ttl)),
        .lane_id = std::move(lane_id),
        .worker_instance_id = std::move(worker_id)};
}

std::string TaskToken::encode() const {
    std::string bytes;
    bytes.reserve(256);
    put(bytes, kFormat);
    put(bytes, kVersion);
    put(bytes, static_cast<std::uint8_t>(store));
    put_text(bytes, execution_id.to_string());
    put(bytes, attempt_index.value);
    put_text(bytes, fence.attempt_id.to_string());
    put_text(bytes, fence.lease_id.to_string());
    put(bytes, fence.lease_epoch.value);
    put(bytes, static_cast<std::uint64_t>(lease_ttl.count()));
    put_text(bytes, lane_id.text());
    put_text(bytes, worker_instance_id.text());
    std::string text = to_base64(bytes);
    while (text.ends_with('=')) text.pop_back();
    for (char& c : text) {
        if (c == '+') c = '-';
        if (c == '/') c = '_';
    }
    return text;
}

}  // namespace ff::service
