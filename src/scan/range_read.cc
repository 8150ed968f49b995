#include "scan/range_read.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "model/transport_kind.h"

namespace ff::scan {
namespace {

std::int64_t score_of(const store::Reply& reply) {
    if (const auto number = reply.as_double()) return std::llround(*number);
    if (const auto number = reply.to_integer()) return *number;
    const std::string text(reply.text().value_or("0"));
    return std::llround(std::strtod(text.c_str(), nullptr));
}

}  // namespace

store::Call RangeRead::call() const {
    return store::plain({"ZRANGEBYSCORE", key, from, to, "WITHSCORES", "LIMIT",
                         std::to_string(skip), std::to_string(count)},
                        true);
}

std::vector<ScoredMember> RangeRead::read(const store::Reply& reply) {
    std::vector<ScoredMember> members;
    const auto items = reply.items();
    // RESP3 nests pairs; a flat array is what RESP2 and some proxies send.
    const bool nested = !items.empty() && items.front().is_aggregate();
    const auto add = [&](const store::Reply& member, const store::Reply& score) {
        members.push_back({std::string(member.text().value_or("")), score_of(score)});
    };
    if (nested) {
        for (const store::Reply& pair : items) {
            if (pair.items().size() == 2) add(pair.items()[0], pair.items()[1]);
        }
    } else {
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) add(items[i], items[i + 1]);
    }
    return members;
}

store::Call SetPage::call(const std::string& key, const std::string& cursor, std::size_t count) {
    return store::plain({"SSCAN", key, cursor, "COUNT", std::to_string(count)}, true);
}

Result<SetPage> SetPage::read(const store::Reply& reply) {
    const auto parts = reply.items();
    if (parts.size() != 2 || !parts[0].text()) {
        return model::storage_error(model::TransportKind::ParseError, "SSCAN");
    }
    SetPage page{.cursor = std::string(*parts[0].text())};
    for (const store::Reply& item : parts[1].items()) {
        page.members.emplace_back(item.text().value_or(""));
    }
    // A scan may name a member twice.
    std::ranges::sort(page.members);
    const auto rest = std::ranges::unique(page.members);
    page.members.erase(rest.begin(), rest.end());
    return page;
}

}  // namespace ff::scan
