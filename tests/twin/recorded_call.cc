#include "twin/recorded_call.h"

namespace ff::twin {
namespace {

constexpr std::size_t kShownArguments = 60;
constexpr std::size_t kShownBytes = 160;

void add_quoted(std::string& out, std::string_view text) {
    out += '"';
    for (const char c : text.substr(0, kShownBytes)) {
        const bool is_plain = c >= ' ' && c <= '~' && c != '"' && c != '\\';
        if (is_plain) {
            out += c;
        } else {
            constexpr std::string_view kDigits = "0123456789abcdef";
            const auto byte = static_cast<unsigned char>(c);
            out += "\\x";
            out += kDigits[byte >> 4U];
            out += kDigits[byte & 15U];
        }
    }
    out += '"';
    if (text.size() > kShownBytes) out += "(" + std::to_string(text.size()) + " bytes)";
}

}  // namespace

std::string_view name_of(const RecordedCall& call) {
    const bool is_function = call.argv.size() > 1 && call.argv[0] == "FCALL";
    return call.argv.empty() ? std::string_view() : call.argv[is_function ? 1 : 0];
}

std::string to_text(const RecordedCall& call) {
    std::string out = std::to_string(call.now.count()) + " us:";
    for (std::size_t i = 0; i < call.argv.size() && i < kShownArguments; ++i) {
        out += ' ';
        add_quoted(out, call.argv[i]);
    }
    if (call.argv.size() > kShownArguments) {
        out += " ... " + std::to_string(call.argv.size()) + " arguments";
    }
    return out;
}

}  // namespace ff::twin
