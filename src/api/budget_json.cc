#include "api/budget_json.h"

namespace ff::api {

void write_verdict(json::Writer& out, const engine::UsageVerdict& verdict) {
    using Kind = engine::UsageVerdict::Kind;
    const auto write_breach = [&](std::string_view status, std::string_view limit) {
        out.key("status").string(status);
        out.key("dimension").string(verdict.dimension);
        out.key("current_usage").integer(verdict.usage);
        out.key(limit).integer(verdict.limit);
        out.key("action").string(verdict.action);
    };
    switch (verdict.kind) {
        case Kind::Ok:
            out.key("status").string("ok");
            return;
        case Kind::AlreadyApplied:
            out.key("status").string("already_applied");
            return;
        case Kind::SoftBreach:
            write_breach("soft_breach", "soft_limit");
            return;
        case Kind::HardBreach:
            write_breach("hard_breach", "hard_limit");
            return;
    }
}

}  // namespace ff::api
