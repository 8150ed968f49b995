#include <algorithm>

#include "keyspace/arguments.h"
#include "keyspace/call.h"
#include "keyspace/commands.h"

namespace ff::keyspace {

void run_rpush(Call& call) {
    const std::string_view key = call.argv[1];
    auto* list = call.edit_or_create<ListValue>(key);
    if (call.refused) return;
    const auto items = call.argv.subspan(2);
    if (UndoLog* undo = call.undo()) {
        undo->note(UndoLog::Step::ListGrown, key);
        undo->number(list->size());
    }
    for (const std::string_view item : items) list->emplace_back(item);
    call.log_arguments(Effect::ListAppend, key, 2, items.size());
    call.reply.integer(static_cast<std::int64_t>(list->size()));
}

void run_lrange(Call& call) {
    const auto from = parse_integer(call.argv[2]);
    const auto to = parse_integer(call.argv[3]);
    if (!from || !to) return call.refuse(refusal::kNotInteger);
    const auto* list = call.read<ListValue>(call.argv[1]);
    if (call.refused) return;
    const auto size = list == nullptr ? 0 : static_cast<std::int64_t>(list->size());
    const std::int64_t first = std::max<std::int64_t>(*from < 0 ? *from + size : *from, 0);
    const std::int64_t last = std::min(*to < 0 ? *to + size : *to, size - 1);
    if (first > last) return call.reply.array(0);
    call.reply.array(static_cast<std::size_t>(last - first + 1));
    for (std::int64_t i = first; i <= last; ++i) {
        call.reply.bulk((*list)[static_cast<std::size_t>(i)].view());
    }
}

}  // namespace ff::keyspace
