#include "host/shard_state.h"

#include <algorithm>

#include "base/log.h"
#include "base/numbers.h"
#include "host/value_sink.h"
#include "keyspace/command_table.h"

namespace ff::host {
namespace {

using Args = std::span<const std::string_view>;

bool is_word(std::string_view text, std::string_view lower_case) {
    return std::ranges::equal(text, lower_case, [](char a, char b) {
        return (a >= 'A' && a <= 'Z' ? static_cast<char>(a | 0x20) : a) == b;
    });
}

void refuse_arity(std::string_view name, keyspace::ReplySink& reply) {
    reply.error("ERR wrong number of arguments for '" + std::string(name) + "' command");
}

/// As much of the command as Valkey repeats.
void refuse_unknown(Args argv, keyspace::ReplySink& reply) {
    constexpr std::size_t kShownBytes = 128;
    std::string text = "ERR unknown command '" + std::string(argv[0].substr(0, kShownBytes)) +
                       "', with args beginning with: ";
    std::string shown;
    for (const std::string_view arg : argv.subspan(1)) {
        if (shown.size() >= kShownBytes) break;
        shown += "'" + std::string(arg.substr(0, kShownBytes - shown.size())) + "' ";
    }
    reply.error(text + shown);
}

LuaHostOptions lua_options(const ShardStateOptions& options) {
    return LuaHostOptions{.memory_max = options.lua_memory_max,
                          .compile = options.compile,
                          .is_local = options.is_local,
                          .memory = options.memory,
                          .on_undone = options.on_undone,
                          .lease_time = options.lease_time};
}

void send_function(const LibraryFacts::Function& function, keyspace::ReplySink& reply) {
    reply.map(3);
    reply.bulk("name");
    reply.bulk(function.name);
    reply.bulk("description");
    if (function.description.has_value())
        reply.bulk(*function.description);
    else
        reply.null();
    reply.bulk("flags");
    reply.set(function.flags.size());
    for (const std::string& flag : function.flags) reply.status(flag);
}

void send_library(const LibraryFacts& library, bool with_code, keyspace::ReplySink& reply) {
    reply.map(with_code ? 4 : 3);
    reply.bulk("library_name");
    reply.bulk(library.name);
    reply.bulk("engine");
    reply.bulk("LUA");
    reply.bulk("functions");
    reply.array(library.functions.size());
    for (const LibraryFacts::Function& function : library.functions) send_function(function, reply);
    if (!with_code) return;
    reply.bulk("library_code");
    reply.bulk(library.text);
}

}  // namespace

ShardState::ShardState(ChannelHub& hub, ShardStateOptions options)
    : hub_(hub), options_(std::move(options)), lua_([this] {
          LuaHostOptions lua = lua_options(options_);
          lua.publish = [this](std::string_view channel, std::string_view message) {
              return publish(channel, message);
          };
          return LuaHost(keyspace_, std::move(lua));
      }()) {}

std::int64_t ShardState::publish(std::string_view channel, std::string_view message) {
    const std::int64_t receivers = hub_.receivers(channel);
    if (receivers > 0)
        published_.push_back({.channel = std::string(channel), .text = std::string(message)});
    return receivers;
}

void ShardState::execute(Args argv, std::chrono::microseconds now, keyspace::ReplySink& reply) {
    if (argv.empty()) {
        reply.error("ERR empty command");
        return;
    }
    const keyspace::CommandSpec* spec = keyspace::find_command(argv[0]);
    if (spec == nullptr)
        execute_own(argv, now, reply);
    else if (spec->outside_functions)
        keyspace_.execute(*spec, argv, now, reply);
    else
        refuse_unknown(argv, reply);
}

void ShardState::rehearse(const Rehearsal& rehearsal) {
    // Any time will do, as long as it passes.
    std::chrono::microseconds now = std::chrono::hours(24 * 365 * 50);
    keyspace::Keyspace stage;
    lua_.rehearse(stage, [&] {
        const Result<Done> done = rehearsal([&](Args argv) {
            ValueSink reply;
            now += std::chrono::milliseconds(1);
            call_function(argv, now, false, reply);
            stage.clear_effects();
            return reply.take();
        });
        if (!done) log::warn("host", "rehearsal_failed", {{"error", done.error().text()}});
    });
}

void ShardState::execute_own(Args argv, std::chrono::microseconds now, keyspace::ReplySink& reply) {
    const std::string_view name = argv[0];
    if (is_word(name, "fcall")) {
        call_function(argv, now, false, reply);
    } else if (is_word(name, "fcall_ro")) {
        call_function(argv, now, true, reply);
    } else if (is_word(name, "ping")) {
        if (argv.size() == 1)
            reply.status("PONG");
        else if (argv.size() == 2)
            reply.bulk(argv[1]);
        else
            refuse_arity("ping", reply);
    } else if (is_word(name, "publish")) {
        if (argv.size() == 3)
            reply.integer(publish(argv[1], argv[2]));
        else
            refuse_arity("publish", reply);
    } else if (is_word(name, "info")) {
        std::string text;
        if (options_.info && argv.size() == 1) text = options_.info("");
        for (const std::string_view section : argv.subspan(1)) {
            if (options_.info) text += options_.info(section);
        }
        reply.bulk(text);
    } else if (is_word(name, "function")) {
        manage_functions(argv, reply);
    } else {
        refuse_unknown(argv, reply);
    }
}

void ShardState::call_function(Args argv, std::chrono::microseconds now, bool read_only,
                               keyspace::ReplySink& reply) {
    constexpr std::size_t kFirstKey = 3;
    if (argv.size() < kFirstKey) {
        refuse_arity(read_only ? "fcall_ro" : "fcall", reply);
        return;
    }
    const auto key_count = parse_i64(argv[2]);
    if (!key_count.has_value()) {
        reply.error("ERR Bad number of keys provided");
    } else if (*key_count < 0) {
        reply.error("ERR Number of keys can't be negative");
    } else if (static_cast<std::uint64_t>(*key_count) > argv.size() - kFirstKey) {
        reply.error("ERR Number of keys can't be greater than number of args");
    } else {
        const auto keys = static_cast<std::size_t>(*key_count);
        const FunctionCall call{.name = argv[1],
                                .keys = argv.subspan(kFirstKey, keys),
                                .args = argv.subspan(kFirstKey + keys),
                                .read_only = read_only,
                                .now = now};
        const std::size_t published = published_.size();
        if (!lua_.call(call, reply)) published_.resize(published);
    }
}

void ShardState::manage_functions(Args argv, keyspace::ReplySink& reply) {
    if (argv.size() < 2) {
        refuse_arity("function", reply);
    } else if (is_word(argv[1], "load")) {
        load_functions(argv, reply);
    } else if (is_word(argv[1], "list")) {
        list_functions(argv.subspan(2), reply);
    } else {
        reply.error("ERR unknown subcommand '" + std::string(argv[1]) + "'. Try FUNCTION HELP.");
    }
}

void ShardState::load_functions(Args argv, keyspace::ReplySink& reply) {
    constexpr std::size_t kFirstOption = 2;
    if (argv.size() <= kFirstOption) {
        refuse_arity("function|load", reply);
        return;
    }
    bool replace = false;
    for (const std::string_view option :
         argv.subspan(kFirstOption, argv.size() - 1 - kFirstOption)) {
        if (!is_word(option, "replace")) {
            reply.error("ERR Unknown option given: " + std::string(option));
            return;
        }
        replace = true;
    }
    Result<std::string> name = lua_.load(argv.back(), replace);
    if (name.has_value() && options_.keep_library) {
        const Result<Done> kept = options_.keep_library(*name, argv.back());
        if (!kept.has_value()) name = kept.error();
    }
    if (name.has_value())
        reply.bulk(*name);
    else
        reply.error("ERR " + name.error().message);
}

void ShardState::list_functions(Args options, keyspace::ReplySink& reply) {
    std::optional<std::string_view> wanted;
    bool with_code = false;
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (!with_code && is_word(options[i], "withcode")) {
            with_code = true;
        } else if (!wanted.has_value() && is_word(options[i], "libraryname")) {
            if (++i == options.size()) {
                reply.error("ERR library name argument was not given");
                return;
            }
            wanted = options[i];
        } else {
            reply.error("ERR Unknown argument " + std::string(options[i]));
            return;
        }
    }
    std::vector<LibraryFacts> libraries = lua_.libraries();
    if (wanted.has_value())
        std::erase_if(libraries, [&](const LibraryFacts& facts) {
            return !matches_glob(*wanted, facts.name);
        });
    reply.array(libraries.size());
    for (const LibraryFacts& library : libraries) send_library(library, with_code, reply);
}

}  // namespace ff::host
