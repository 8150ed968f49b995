#include "contract/embedded_host.h"

#include <stdexcept>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "host/embedded_store.h"
#include "model/library.h"
#include "support/run.h"

namespace ff::contract {
namespace {

constexpr std::uint32_t kShards = 3;

RespValue text_value(RespValue::Kind kind, std::string_view text) {
    RespValue out;
    out.kind = kind;
    out.text = text;
    return out;
}

RespValue integer_value(RespValue::Kind kind, std::int64_t number) {
    RespValue out;
    out.kind = kind;
    out.integer = number;
    return out;
}

/// As RESP2 sends it: the tests read maps and sets as arrays, and scores as text.
RespValue to_resp(const resp::Value& value) {
    using Kind = RespValue::Kind;
    if (value.is_error()) return text_value(Kind::Error, value.error_text());
    if (value.type() == resp::Type::SimpleString) return text_value(Kind::Simple, *value.text());
    if (const auto text = value.text()) return text_value(Kind::Bulk, *text);
    if (const auto number = value.as_integer()) return integer_value(Kind::Integer, *number);
    if (const auto truth = value.as_boolean()) return integer_value(Kind::Bool, *truth ? 1 : 0);
    if (const auto real = value.as_double()) {
        return text_value(Kind::Bulk, std::to_string(static_cast<std::int64_t>(*real)));
    }
    RespValue out;
    if (!value.is_aggregate()) return out;
    out.kind = Kind::Array;
    for (const resp::Value& item : value.items()) out.items.push_back(to_resp(item));
    return out;
}

class EmbeddedListener final : public Listener {
  public:
    EmbeddedListener(store::Store& store, const std::string& channel) {
        store::Channels channels{.names = {channel}};
        auto made = testing::run(loop_, store.subscribe(std::move(channels)));
        if (!made) throw std::runtime_error("not subscribed: " + made.error().message);
        subscription_ = std::move(*made);
    }
    std::string next() override {
        auto notice = testing::run(loop_, subscription_->next(Deadline::after(testing::kPatience)));
        if (!notice || !*notice) throw std::runtime_error("no message");
        return (*notice)->message;
    }

  private:
    boost::asio::io_context loop_{1};
    std::unique_ptr<store::Subscription> subscription_;
};

class EmbeddedHost final : public Host {
  public:
    explicit EmbeddedHost(EmbeddedMode mode) {
        host::EmbeddedOptions options;
        options.shards = kShards;
        options.compile = mode.compile;
        options.library = model::library_text();
        auto opened = host::EmbeddedStore::open(std::move(options));
        if (!opened) throw std::runtime_error("embedded store: " + opened.error().message);
        store_ = std::move(*opened);
    }

    RespValue command(const List& args) override {
        const std::vector<std::string_view> views(args.begin(), args.end());
        store::Call call;
        call.command.append(views);
        const auto reply = store_->call_and_wait(std::move(call));
        if (reply) return to_resp(*reply);
        return text_value(RespValue::Kind::Error, reply.error().message);
    }

    std::map<std::string, std::string> keys(const std::string& tag) override {
        std::map<std::string, std::string> out;
        for (const host::KeyFacts& facts : store_->keys()) {
            if (facts.key.find(tag) != std::string::npos) out[facts.key] = facts.type;
        }
        return out;
    }

    std::unique_ptr<Listener> listen(const std::string& channel) override {
        return std::make_unique<EmbeddedListener>(*store_, channel);
    }
    std::optional<std::int64_t> ttl_ms(const std::string&) override { return std::nullopt; }
    std::optional<std::uint64_t> store_calls(std::string_view function) override {
        for (const host::FunctionCount& count : store_->function_counts()) {
            if (count.name == function) return count.store_calls;
        }
        return 0;
    }

  private:
    std::unique_ptr<host::EmbeddedStore> store_;
};

}  // namespace

std::unique_ptr<Host> start_embedded(EmbeddedMode mode) {
    return std::make_unique<EmbeddedHost>(mode);
}

}  // namespace ff::contract
