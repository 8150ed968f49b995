// What the codec costs: building the command of a function call, reading its reply, and reading a
// large array, in relation to copying the same bytes once.
#include <cstring>

#include "report.h"
#include "resp/command.h"
#include "resp/parser.h"

namespace {

using ff::bench::nanoseconds_per_call;

std::string reply_of(std::size_t items, std::size_t item_bytes) {
    std::string out = "*" + std::to_string(items) + "\r\n";
    for (std::size_t i = 0; i < items; ++i)
        out += "$" + std::to_string(item_bytes) + "\r\n" + std::string(item_bytes, 'v') + "\r\n";
    return out;
}

void encode() {
    constexpr std::string_view kTag = "{fp:42}:11111111-2222-4333-8444-555555555555";
    ff::resp::Command command("FCALL");
    command.reserve(600, 14);
    command.arg("ff_complete_execution").arg(4);
    for (const std::string_view suffix : {":core", ":lease", ":result", ":history"})
        command.arg_parts({"ff:exec:", kTag, suffix});
    for (int i = 0; i < 8; ++i) command.arg(1'700'000'000'000 + i);
    ff::bench::keep(command.wire());
}

double parse_ns(const std::string& wire) {
    ff::resp::Parser parser;
    return nanoseconds_per_call([&] {
        parser.feed(wire);
        const auto value = parser.next();
        ff::bench::keep(value);
    });
}

double copy_ns(const std::string& wire) {
    std::string target(wire.size(), '\0');
    return nanoseconds_per_call([&] {
        std::memcpy(target.data(), wire.data(), wire.size());
        ff::bench::keep(target);
    });
}

}  // namespace

int main(int argc, char** argv) {
    ff::bench::Report report("resp: encoding and parsing", argc, argv);
    const std::string small = reply_of(6, 20);
    const std::string large = reply_of(64, 4096);
    report.add("encode_fcall_ns", nanoseconds_per_call(encode), "ns");
    report.add("parse_small_reply_ns", parse_ns(small), "ns");
    report.add("parse_large_reply_ns", parse_ns(large), "ns");
    report.add("copy_large_reply_ns", copy_ns(large), "ns");
    report.add_ratio("parse_large_over_copy", report.value("parse_large_reply_ns"),
                     report.value("copy_large_reply_ns"));
    return report.finish();
}
