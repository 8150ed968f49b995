#include "differential/reply_tree.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "keyspace/command_table.h"
#include "resp/writer.h"

namespace ff::testing {
namespace {

void sort_texts(std::vector<RespValue>& items) {
    std::ranges::sort(items, {}, &RespValue::text);
}

void sort_pairs(std::vector<RespValue>& items) {
    std::vector<std::pair<RespValue, RespValue>> pairs;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        pairs.emplace_back(std::move(items[i]), std::move(items[i + 1]));
    }
    std::ranges::sort(pairs, {}, [](const auto& pair) { return pair.first.text; });
    items.clear();
    for (auto& [key, value] : pairs) {
        items.push_back(std::move(key));
        items.push_back(std::move(value));
    }
}

}  // namespace

void ReplyTree::real(double value) {
    char digits[resp::kDoubleTextMax];
    const std::size_t size = resp::format_double(value, digits);
    put({.kind = RespValue::Kind::Double, .text = std::string(digits, size)});
}

void ReplyTree::put(RespValue value) {
    while (true) {
        if (open_.empty()) {
            whole_.push_back(std::move(value));
            return;
        }
        open_.back().value.items.push_back(std::move(value));
        if (--open_.back().left > 0) return;
        value = std::move(open_.back().value);
        open_.pop_back();
    }
}

void ReplyTree::open(RespValue::Kind kind, std::size_t n) {
    if (n == 0) return put({.kind = kind});
    open_.push_back({.value = {.kind = kind}, .left = n});
}

RespValue ReplyTree::take() {
    if (whole_.size() != 1 || !open_.empty()) throw std::logic_error("not exactly one reply");
    return std::move(whole_.front());
}

RespValue in_order(const std::vector<std::string>& command, RespValue reply) {
    const keyspace::CommandSpec* spec = keyspace::find_command(command.at(0));
    const std::string_view name = spec == nullptr ? std::string_view() : spec->name;
    if (name == "smembers" || name == "hkeys") sort_texts(reply.items);
    if (name == "hgetall") sort_pairs(reply.items);
    if (name == "sscan" && reply.items.size() == 2) sort_texts(reply.items[1].items);
    return reply;
}

}  // namespace ff::testing
