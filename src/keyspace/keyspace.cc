#include "keyspace/keyspace.h"

#include <utility>

#include "keyspace/call.h"
#include "keyspace/memory_meter.h"

namespace ff::keyspace {
namespace {

/// While it lives, values of this thread take their memory from the pool.
class PoolInUse {
  public:
    explicit PoolInUse(BlockPool* pool) : before_(std::exchange(current_pool, pool)) {}
    ~PoolInUse() { current_pool = before_; }
    PoolInUse(const PoolInUse&) = delete;
    PoolInUse& operator=(const PoolInUse&) = delete;

  private:
    BlockPool* before_;
};

std::int64_t ms_of(std::chrono::microseconds time) {
    return std::chrono::floor<std::chrono::milliseconds>(time).count();
}

}  // namespace

/// A call that may change values: adds what it has taken to the sum of the database.
class Keyspace::Access {
  public:
    explicit Access(Keyspace& keyspace)
        : in_use_(keyspace.pool_.get()), db_(*keyspace.database_), before_(metered_bytes) {}
    ~Access() { db_.memory_bytes += metered_bytes - before_; }
    Access(const Access&) = delete;
    Access& operator=(const Access&) = delete;

  private:
    PoolInUse in_use_;
    Database& db_;
    std::int64_t before_;
};

Keyspace::Keyspace(KeyspaceOptions options) : pool_(std::make_unique<BlockPool>()) {
    const PoolInUse in_use(pool_.get());
    database_ = std::make_unique<Database>(options);
}

Keyspace::~Keyspace() {
    const PoolInUse in_use(pool_.get());
    database_.reset();
}

Keyspace::Keyspace(Keyspace&&) noexcept = default;

Keyspace& Keyspace::operator=(Keyspace&& other) noexcept {
    std::swap(pool_, other.pool_);
    std::swap(database_, other.database_);
    return *this;
}

void Keyspace::execute(const CommandSpec& command, std::span<const std::string_view> argv,
                       std::chrono::microseconds now, ReplySink& reply) {
    const Access access(*this);
    Call call{.command = command, .db = *database_, .argv = argv, .now = now, .reply = reply};
    if (!command.accepts(argv.size())) return call.refuse_argument_count();
    database_->begin_command();
    command.handler(call);
}

void Keyspace::begin_call() {
    database_->begin_call();
}

void Keyspace::keep_call() {
    const Access access(*this);
    database_->keep_call();
}

void Keyspace::undo_call() {
    const Access access(*this);
    database_->undo_call();
}

bool Keyspace::look_at_fields(std::string_view key, std::chrono::microseconds now,
                              std::span<const std::string_view> fields,
                              std::span<std::string_view> values) {
    // A name that no hash has had yet is added to the table of names.
    const Access access(*this);
    const Entry* entry = database_->find(key, ms_of(now));
    const auto* hash = entry == nullptr ? nullptr : entry->value.get<HashValue>();
    if (hash == nullptr) return false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
        const ByteString* value = hash->find(database_->fields().intern(fields[i]), fields[i]);
        values[i] = value == nullptr ? std::string_view() : value->view();
    }
    return true;
}

std::optional<std::size_t> Keyspace::string_size(std::string_view key,
                                                 std::chrono::microseconds now) const {
    const Entry* entry = database_->find(key, ms_of(now));
    const auto* text = entry == nullptr ? nullptr : entry->value.get<ByteString>();
    if (text == nullptr) return std::nullopt;
    return text->size();
}

bool Keyspace::has_written(std::string_view key) const {
    return database_->has_written(key);
}

bool Keyspace::has_written() const {
    return database_->has_written();
}

bool Keyspace::has(std::string_view key, std::chrono::microseconds now) const {
    return database_->find(key, ms_of(now)) != nullptr;
}

std::string_view Keyspace::effects() const {
    return database_->effects().view();
}

void Keyspace::clear_effects() {
    database_->effects().clear();
}

void Keyspace::write_effects_to(ByteBuffer* buffer, LentPieces* lent) {
    database_->effects().write_to(buffer, lent);
}

void Keyspace::set_staying(std::string_view bytes) {
    database_->effects().set_staying(bytes);
}

Result<Done> Keyspace::apply(std::string_view effects) {
    const Access access(*this);
    return database_->apply(effects);
}

std::size_t Keyspace::expire_due(std::chrono::microseconds now, std::size_t limit) {
    const Access access(*this);
    return database_->expire_due(ms_of(now), limit);
}

std::optional<Timestamp> Keyspace::next_expiry() const {
    const auto at_ms = database_->next_expiry();
    if (!at_ms) return std::nullopt;
    return timestamp_from_ms(*at_ms);
}

void Keyspace::begin_snapshot() {
    database_->begin_snapshot();
}

bool Keyspace::snapshot_step(std::size_t budget_bytes, ByteBuffer& out) {
    return database_->snapshot_step(budget_bytes, out);
}

void Keyspace::abort_snapshot() {
    database_->abort_snapshot();
}

void Keyspace::set_append_listener(std::function<void(std::string_view key)> listener) {
    database_->on_append = std::move(listener);
}

std::size_t Keyspace::key_count() const {
    return database_->key_count();
}

std::size_t Keyspace::memory_bytes() const {
    return static_cast<std::size_t>(std::max<std::int64_t>(database_->memory_bytes, 0));
}

void Keyspace::for_each_key(
    const std::function<void(std::string_view key, std::string_view type)>& visit) const {
    database_->for_each_key(visit);
}

}  // namespace ff::keyspace
