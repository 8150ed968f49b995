// Any bytes: the parser answers with values or with one clear error, the same however the bytes are
// cut, and what it read is written and read back unchanged.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "resp/parser.h"
#include "resp/writer.h"

namespace {

using ff::resp::Parser;
using ff::resp::Value;

void require(bool holds) {
    if (!holds) std::abort();
}

struct Outcome {
    std::string shown{};
    std::string failure{};
    std::vector<Value> values{};
};

Outcome read(std::string_view bytes, std::size_t piece) {
    Parser parser({.depth_max = 16,
                   .elements_max = 4096,
                   .bulk_bytes_max = 65536,
                   .value_bytes_max = 1 << 20,
                   .line_bytes_max = 256});
    Outcome outcome;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
        parser.feed(bytes.substr(at, piece));
        while (true) {
            ff::Result<std::optional<Value>> value = parser.next();
            if (!value.has_value()) {
                require(value.error().detail.size() == 2);
                outcome.failure = value.error().message;
                return outcome;
            }
            if (!value->has_value()) break;
            outcome.shown += (*value)->to_debug_text() + "\n";
            outcome.values.push_back(std::move(**value));
        }
    }
    return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
    const Outcome whole = read(bytes, bytes.size());
    const Outcome pieces = read(bytes, std::size_t{1} + data[0] % 16);
    require(whole.shown == pieces.shown);
    require(whole.failure == pieces.failure);

    std::string written;
    ff::resp::ReplyWriter writer(written, ff::resp::Protocol::Resp3);
    for (const Value& value : whole.values) writer.write_value(value);
    if (written.empty()) return 0;
    const Outcome again = read(written, written.size());
    require(again.failure.empty());
    require(again.shown == whole.shown);
    return 0;
}
