#include "keyspace/call.h"

#include <string>

namespace ff::keyspace {

void Call::refuse_argument_count() {
    std::string text = "ERR wrong number of arguments for '";
    text.append(command.name).append("' command");
    refuse(text);
}

void Call::log_arguments(Effect effect, std::string_view key, std::size_t first,
                         std::size_t count) {
    db.effects().begin(effect, key);
    db.effects().number(count);
    for (const std::string_view text : argv.subspan(first)) db.effects().bytes(text);
}

}  // namespace ff::keyspace
