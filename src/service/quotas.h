#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "engine/quota.h"
#include "model/ids.h"
#include "service/context.h"

namespace ff::service {

struct NewQuota {
    /// Minted where absent.
    std::optional<model::QuotaPolicyId> id{};
    std::int64_t window_seconds = 0;
    std::int64_t requests_per_window_max = 0;
    std::int64_t concurrent_max = 0;
    std::int64_t jitter_ms = 0;
    model::PolicyScope scope{};
    std::string name{};
    bool attach = false;
};

struct CreatedQuota {
    model::QuotaPolicyId id;
    bool already_satisfied = false;
};

/// What a quota allows and how much of it is taken now.
struct QuotaStatus {
    model::QuotaPolicyId id;
    std::string name{};
    model::PolicyScope scope{};
    std::int64_t window_seconds = 0;
    std::int64_t requests_per_window_max = 0;
    std::int64_t concurrent_max = 0;
    std::int64_t jitter_ms = 0;
    std::int64_t window_entries = 0;
    std::int64_t held_slots = 0;
    /// Until the next rate slot comes free; 0 while there is one.
    Millis next_slot_in{0};
    std::optional<Timestamp> created_at{};
};

/// What to change; what is absent stays.
struct QuotaChange {
    model::QuotaPolicyId id;
    std::string actor{};
    std::string reason{};
    std::optional<std::int64_t> window_seconds{};
    std::optional<std::int64_t> requests_per_window_max{};
    std::optional<std::int64_t> concurrent_max{};
    std::optional<std::int64_t> jitter_ms{};
    std::string name{};
};

struct QuotaPage {
    std::vector<QuotaStatus> quotas{};
    std::string next_cursor{};
};

/// Limits of rate and of concurrency (spec 06, section 4). Lives on the context's loop.
class Quotas {
  public:
    explicit Quotas(const Context& context) : context_(context) {}

    Task<CreatedQuota> create(NewQuota quota);
    /// `quota_policy_not_found` if there is none.
    Task<QuotaStatus> get(model::QuotaPolicyId id);
    /// In the order of their ids.
    Task<QuotaPage> list(std::string cursor, std::size_t limit);
    /// The new revision of the limits.
    Task<std::int64_t> update(QuotaChange change);
    /// A quota without a scope takes this one; another than its own is `quota_attach_conflict`.
    Task<Done> attach(model::QuotaPolicyId id, model::PolicyScope scope);
    Task<Done> detach(model::QuotaPolicyId id, model::PolicyScope scope);

  private:
    Task<QuotaStatus> definition(model::QuotaPolicyId id);
    Task<Done> count_use(QuotaStatus& status);

    Context context_;
};

}  // namespace ff::service
