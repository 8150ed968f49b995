#include "valkey/blocking_read.h"

#include <algorithm>
#include <string_view>

#include "base/numbers.h"

namespace ff::valkey {
namespace {

bool is_word(std::string_view text, std::string_view upper_case_word) {
    return std::ranges::equal(text, upper_case_word, {}, [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
}

}  // namespace

BlockingRead::BlockingRead(const resp::Command& command) : command_(command) {
    const auto args = command.args();
    for (std::size_t i = 1; i + 1 < args.size() && !is_word(args[i], "STREAMS"); ++i) {
        if (!is_word(args[i], "BLOCK")) continue;
        // A number that is none is for the server to refuse.
        const auto number = parse_u64(args[i + 1]);
        if (!number) return;
        block_at_ = i + 1;
        block_ = std::chrono::milliseconds(*number);
        return;
    }
}

Deadline BlockingRead::end() const {
    return block_.count() == 0 ? Deadline::never() : Deadline::after(block_);
}

resp::Command BlockingRead::slice(std::chrono::milliseconds block) const {
    const auto args = command_.args();
    resp::Command changed;
    changed.reserve(command_.wire().size(), args.size());
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (i == block_at_ && blocks()) {
            changed.arg(std::max<std::int64_t>(block.count(), 1));
        } else {
            changed.arg(args[i]);
        }
    }
    return changed;
}

}  // namespace ff::valkey
