#include "api/test_clock_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"

namespace ff::api {
namespace {

using FieldKind = FieldDoc::Kind;

constexpr std::int64_t kAdvanceMostMs = std::int64_t{3660} * 24 * 60 * 60 * 1000;

Result<http::Response> advance_clock(const AdvanceClock& advance, Call& call) {
    FF_TRY(const json::Value body, call.object());
    FF_TRY(const std::int64_t by,
           Fields(body).integer("advance_ms", {.least = 1, .most = kAdvanceMostMs}));
    FF_TRY(const TestTime time, advance(Millis(by)));
    return json_response(200, [&time](json::Writer& out) {
        out.key("now_ms").integer(to_ms(time.now));
        out.key("advanced_ms").integer(time.advanced.count());
    });
}

Task<http::Response> answer(const AdvanceClock& advance, Call& call) {
    co_return advance_clock(advance, call);
}

}  // namespace

void add_test_clock_routes(Routes& routes, AdvanceClock advance) {
    routes.add(
        {.method = "POST",
         .pattern = "/v1/test/clock",
         .body = BodyClass::Control,
         .doc = {.id = "advanceClock",
                 .summary = "Move the time of a test server ahead",
                 .body = {{.name = "advance_ms",
                           .kind = FieldKind::Integer,
                           .required = true,
                           .about = "1..316224000000",
                           .example = "3600000"}},
                 .answer = {{.name = "now_ms", .kind = FieldKind::Integer, .required = true},
                            {.name = "advanced_ms", .kind = FieldKind::Integer, .required = true}}},
         .handle = [advance = std::move(advance)](Call& call) { return answer(advance, call); }});
}

}  // namespace ff::api
