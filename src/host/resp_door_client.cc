#include "host/resp_door_client.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "base/assert.h"
#include "base/bytes.h"
#include "keyspace/command_table.h"
#include "store/command_keys.h"

namespace ff::host {
namespace {

constexpr std::string_view kDefaultUser = "default";
/// The version whose commands and replies the store offers.
constexpr std::string_view kValkeyVersion = "8.1.0";
constexpr std::string_view kWrongPass =
    "WRONGPASS invalid username-password pair or user is disabled.";
constexpr std::size_t kShownBytesMax = 128;

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The commands that the door does not answer itself, found by their names without a copy.
class CommandIndex {
  public:
    CommandIndex() {
        for (const keyspace::CommandSpec& spec : keyspace::all_commands()) {
            // Asked with two arguments, a command with one key names one of them.
            const std::array<std::string_view, 3> probe = {spec.name, "a", "b"};
            const std::size_t keys = store::keys_of(probe).size();
            add(spec.name,
                {.path = keys > 0 ? DoorPath::Shard : DoorPath::Store, .one_key = keys == 1});
        }
        for (const std::string_view name : {"fcall", "fcall_ro"}) add(name, {DoorPath::Shard});
        for (const std::string_view name : {"function", "info", "time", "publish"}) {
            add(name, {DoorPath::Store});
        }
        for (const std::string_view name :
             {"subscribe", "psubscribe", "unsubscribe", "punsubscribe"}) {
            add(name, {DoorPath::Subscribe});
        }
        add("xread", {DoorPath::Read});
    }

    DoorCommand find(std::string_view name) const {
        const std::optional<Name> folded = fold(name);
        if (!folded) return {};
        for (std::size_t at = place(*folded);; at = (at + 1) % kCells) {
            if (cells_[at].name == *folded) return cells_[at].command;
            if (cells_[at].name == Name{}) return {};
        }
    }

  private:
    /// Up to 16 bytes in lower case, padded with zeros.
    using Name = std::array<std::uint64_t, 2>;
    struct Cell {
        Name name{};
        DoorCommand command{};
    };
    static constexpr std::size_t kCells = 256;

    static std::optional<Name> fold(std::string_view name) {
        std::array<char, sizeof(Name)> text{};
        if (name.empty() || name.size() > text.size()) return std::nullopt;
        std::transform(name.begin(), name.end(), text.begin(), lower);
        return std::bit_cast<Name>(text);
    }
    static std::size_t place(const Name& name) {
        const std::uint64_t mixed = (name[0] ^ (name[1] * 31)) * 0x9e3779b97f4a7c15ULL;
        return mixed >> 56;
    }
    void add(std::string_view name, DoorCommand command) {
        const std::optional<Name> folded = fold(name);
        FF_ASSERT(folded.has_value());
        std::size_t at = place(*folded);
        while (cells_[at].name != Name{} && cells_[at].name != *folded) at = (at + 1) % kCells;
        cells_[at] = {.name = *folded, .command = command};
    }

    std::array<Cell, kCells> cells_{};
};

std::string unknown_command(std::span<const std::string_view> argv) {
    std::string text = "ERR unknown command '";
    text += argv[0].substr(0, kShownBytesMax);
    text += "', with args beginning with: ";
    const std::size_t start = text.size();
    for (const std::string_view arg : argv.subspan(1)) {
        if (text.size() - start >= kShownBytesMax) break;
        text += '\'';
        text += arg.substr(0, kShownBytesMax - (text.size() - start));
        text += "' ";
    }
    return text;
}

std::string wrong_arity(std::string_view name) {
    std::string text = "ERR wrong number of arguments for '";
    text += name;
    text += "' command";
    return text;
}

}  // namespace

std::string error_line(const Error& error) {
    const std::string& text = error.message;
    const std::size_t word = text.find(' ');
    const bool spoken = word != std::string::npos && word > 0 &&
                        std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(word),
                                    [](char c) { return c >= 'A' && c <= 'Z'; });
    return spoken ? text : "ERR " + error.text();
}

bool is_word(std::string_view text, std::string_view lower_word) {
    return std::equal(text.begin(), text.end(), lower_word.begin(), lower_word.end(),
                      [](char a, char b) { return lower(a) == b; });
}

DoorCommand door_command(std::string_view name) {
    static const CommandIndex kIndex;
    return kIndex.find(name);
}

bool DoorClient::admit(Args argv, std::string& out) {
    if (admitted()) return true;
    const auto is_name = [&](std::string_view word) { return is_word(argv[0], word); };
    constexpr std::array<std::string_view, 4> kOpen = {"auth", "hello", "quit", "reset"};
    if (std::ranges::any_of(kOpen, is_name)) return true;
    resp::ReplyWriter(out, protocol_).error("NOAUTH Authentication required.");
    return false;
}

void DoorClient::answer(Args argv, std::string& out) {
    resp::ReplyWriter reply(out, protocol_);
    const auto is_name = [&](std::string_view word) { return is_word(argv[0], word); };
    if (is_name("ping")) {
        if (argv.size() > 2) return reply.error(wrong_arity("ping"));
        return argv.size() == 2 ? reply.bulk(argv[1]) : reply.status("PONG");
    }
    if (is_name("hello")) return hello(argv, reply);
    if (is_name("auth")) return auth(argv, reply);
    if (is_name("client")) return client(argv, reply);
    if (is_name("echo")) {
        return argv.size() == 2 ? reply.bulk(argv[1]) : reply.error(wrong_arity("echo"));
    }
    if (is_name("role")) {
        if (argv.size() != 1) return reply.error(wrong_arity("role"));
        reply.array(3);
        reply.bulk("master");
        reply.integer(0);
        return reply.array(0);
    }
    if (is_name("select")) {
        if (argv.size() != 2) return reply.error(wrong_arity("select"));
        return argv[1] == "0" ? reply.ok() : reply.error("ERR DB index is out of range");
    }
    if (is_name("quit")) {
        leaving_ = true;
        return reply.ok();
    }
    if (is_name("reset")) {
        authenticated_ = false;
        protocol_ = resp::Protocol::Resp2;
        name_.clear();
        reply.set_protocol(protocol_);
        return reply.status("RESET");
    }
    reply.error(unknown_command(argv));
}

void DoorClient::answer_subscribed(Args argv, std::string& out) {
    resp::ReplyWriter reply(out, protocol_);
    if (is_word(argv[0], "ping") && argv.size() <= 2) {
        reply.array(2);
        reply.bulk("pong");
        return reply.bulk(argv.size() == 2 ? argv[1] : std::string_view());
    }
    if (is_word(argv[0], "quit")) return answer(argv, out);
    std::string name;
    for (const char c : argv[0].substr(0, kShownBytesMax)) name += lower(c);
    reply.error("ERR Can't execute '" + name +
                "': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in "
                "this context");
}

std::string_view DoorClient::authenticate(std::string_view user, std::string_view password) {
    // Both are compared, so that the time tells nothing about which one was wrong.
    const bool user_right = constant_time_equal(user, kDefaultUser);
    const bool password_right = constant_time_equal(password, password_);
    if (!(user_right & (password_right | password_.empty()))) return kWrongPass;
    authenticated_ = true;
    return {};
}

void DoorClient::auth(Args argv, resp::ReplyWriter& reply) {
    if (argv.size() < 2 || argv.size() > 3) return reply.error(wrong_arity("auth"));
    if (argv.size() == 2 && password_.empty()) {
        return reply.error(
            "ERR AUTH <password> called without any password configured for the default user. Are "
            "you sure your configuration is correct?");
    }
    const std::string_view user = argv.size() == 3 ? argv[1] : kDefaultUser;
    const std::string_view refusal = authenticate(user, argv.back());
    if (!refusal.empty()) return reply.error(refusal);
    reply.ok();
}

void DoorClient::hello(Args argv, resp::ReplyWriter& reply) {
    resp::Protocol wanted = protocol_;
    if (argv.size() > 1) {
        if (argv[1] != "2" && argv[1] != "3") {
            const bool number = argv[1].find_first_not_of("0123456789") == std::string_view::npos;
            return reply.error(number ? "NOPROTO unsupported protocol version"
                                      : "ERR Protocol version is not an integer or out of range");
        }
        wanted = argv[1] == "2" ? resp::Protocol::Resp2 : resp::Protocol::Resp3;
    }
    std::string_view name = name_;
    for (std::size_t i = 2; i < argv.size();) {
        const std::size_t left = argv.size() - i - 1;
        if (is_word(argv[i], "auth") && left >= 2) {
            const std::string_view refusal = authenticate(argv[i + 1], argv[i + 2]);
            if (!refusal.empty()) return reply.error(refusal);
            i += 3;
        } else if (is_word(argv[i], "setname") && left >= 1) {
            name = argv[i + 1];
            i += 2;
        } else {
            return reply.error("ERR Syntax error in HELLO option '" + std::string(argv[i]) + "'");
        }
    }
    if (!admitted()) {
        return reply.error(
            "NOAUTH HELLO must be called with the client already authenticated, otherwise the "
            "HELLO <proto> AUTH <user> <pass> option can be used to authenticate the client and "
            "select the RESP protocol version at the same time");
    }
    name_ = std::string(name);
    protocol_ = wanted;
    reply.set_protocol(protocol_);
    describe(reply);
}

void DoorClient::describe(resp::ReplyWriter& reply) const {
    reply.map(7);
    reply.bulk("server");
    reply.bulk("flowfabric");
    reply.bulk("version");
    reply.bulk(kValkeyVersion);
    reply.bulk("proto");
    reply.integer(static_cast<std::int64_t>(protocol_));
    reply.bulk("id");
    reply.integer(static_cast<std::int64_t>(id_));
    reply.bulk("mode");
    reply.bulk("standalone");
    reply.bulk("role");
    reply.bulk("master");
    reply.bulk("modules");
    reply.array(0);
}

void DoorClient::client(Args argv, resp::ReplyWriter& reply) {
    if (argv.size() < 2) return reply.error(wrong_arity("client"));
    const auto is_sub = [&](std::string_view word) { return is_word(argv[1], word); };
    if (is_sub("setname") && argv.size() == 3) {
        const bool printable =
            std::ranges::all_of(argv[2], [](char c) { return c > ' ' && c <= '~'; });
        if (!printable) {
            return reply.error(
                "ERR Client names cannot contain spaces, newlines or special characters.");
        }
        name_ = std::string(argv[2]);
        return reply.ok();
    }
    if (is_sub("getname") && argv.size() == 2) {
        return name_.empty() ? reply.null() : reply.bulk(name_);
    }
    if (is_sub("id") && argv.size() == 2) return reply.integer(static_cast<std::int64_t>(id_));
    if (is_sub("setinfo") && argv.size() == 4) return reply.ok();
    reply.error("ERR unknown subcommand or wrong number of arguments for '" +
                std::string(argv[1].substr(0, kShownBytesMax)) + "'. Try CLIENT HELP.");
}

}  // namespace ff::host
