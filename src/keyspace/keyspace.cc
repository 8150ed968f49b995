#include "keyspace/keyspace.h"

#include <utility>

#include "keyspace/call.h"
#include "keyspace/memory_meter.h"

namespace ff::keyspace {
namespace {

/// Adds what a call has taken from the heap to the sum of its database.
class MeterReading {
  public:
    explicit MeterReading(Database& database) : db_(database), before_(metered_bytes) {}
    ~MeterReading() { db_.memory_bytes += metered_bytes - before_; }
    MeterReading(const MeterReading&) = delete;
    MeterReading& operator=(const MeterReading&) = delete;

  private:
    Database& db_;
    std::int64_t before_;
};

std::int64_t ms_of(std::chrono::microseconds time) {
    return std::chrono::floor<std::chrono::milliseconds>(time).count();
}

}  // namespace

Keyspace::Keyspace(KeyspaceOptions options) : database_(std::make_unique<Database>(options)) {}
Keyspace::~Keyspace() = default;
Keyspace::Keyspace(Keyspace&&) noexcept = default;
Keyspace& Keyspace::operator=(Keyspace&&) noexcept = default;

void Keyspace::execute(const CommandSpec& command, std::span<const std::string_view> argv,
                       std::chrono::microseconds now, ReplySink& reply) {
    const MeterReading reading(*database_);
    Call call{.command = command, .db = *database_, .argv = argv, .now = now, .reply = reply};
    if (!command.accepts(argv.size())) return call.refuse_argument_count();
    command.handler(call);
}

std::string_view Keyspace::effects() const {
    return database_->effects().view();
}

void Keyspace::clear_effects() {
    database_->effects().clear();
}

Result<Done> Keyspace::apply(std::string_view effects) {
    const MeterReading reading(*database_);
    return database_->apply(effects);
}

std::size_t Keyspace::expire_due(std::chrono::microseconds now, std::size_t limit) {
    const MeterReading reading(*database_);
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

bool Keyspace::snapshot_step(std::size_t budget_bytes, std::string& out) {
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
