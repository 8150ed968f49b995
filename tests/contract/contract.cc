#include "contract/contract.h"

#include <atomic>

#include "base/random.h"
#include "model/uuid.h"
#include "support/wait.h"

namespace ff::contract {
namespace {

std::string next_tag() {
    static std::atomic<int> next{0};
    return "{fp:" + std::to_string(next++) + "}";
}

std::string text_of(const RespValue& value) {
    switch (value.kind) {
        case RespValue::Kind::Integer:
        case RespValue::Kind::Bool:
            return std::to_string(value.integer);
        case RespValue::Kind::Null:
            return "";
        case RespValue::Kind::Error:
            return "(error) " + value.text;
        case RespValue::Kind::Array:
            return to_string(value);
        default:
            return value.text;
    }
}

}  // namespace

List flat(const RespValue& reply) {
    if (reply.kind != RespValue::Kind::Array) return {text_of(reply)};
    List out;
    for (const RespValue& item : reply.items) out.push_back(text_of(item));
    return out;
}

std::string element(const RespValue& reply, std::size_t n) {
    const List all = flat(reply);
    return n >= 1 && n <= all.size() ? all[n - 1] : "";
}

std::map<std::string, std::string> pairs(const RespValue& reply) {
    std::map<std::string, std::string> out;
    for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
        out[reply.items[i].text] = text_of(reply.items[i + 1]);
    }
    return out;
}

std::string new_uuid() {
    SecureRandom random;
    return model::Uuid::mint_v4(random).to_string();
}

Contract::Contract() : host_(host_of(GetParam())), tag_(next_tag()) {}

std::string Contract::another_tag() const {
    return next_tag();
}

std::string Contract::index(std::string_view name) const {
    return "ff:idx:" + tag_ + ":" + std::string(name);
}

std::string Contract::lane_index(std::string_view lane, std::string_view name) const {
    return "ff:idx:" + tag_ + ":lane:" + std::string(lane) + ":" + std::string(name);
}

std::optional<std::int64_t> Contract::score(const std::string& zset,
                                            const std::string& member) const {
    const RespValue reply = command({"ZSCORE", zset, member});
    if (reply.is_null()) return std::nullopt;
    return std::stoll(reply.text);
}

bool Contract::in_set(const std::string& set, const std::string& member) const {
    return command({"SISMEMBER", set, member}).integer == 1;
}

bool Contract::exists(const std::string& key) const {
    return command({"EXISTS", key}).integer == 1;
}

std::map<std::string, std::string> Contract::hash(const std::string& key) const {
    return pairs(command({"HGETALL", key}));
}

std::vector<std::map<std::string, std::string>> Contract::entries(const std::string& stream) const {
    std::vector<std::map<std::string, std::string>> out;
    for (const RespValue& entry : command({"XRANGE", stream, "-", "+"}).items) {
        out.push_back(pairs(entry.items.at(1)));
    }
    return out;
}

std::vector<std::map<std::string, std::string>> Contract::feed(std::string_view family) const {
    std::vector<std::map<std::string, std::string>> out;
    for (auto& entry : entries("ff:part:" + tag_ + ":events")) {
        const std::string families = "," + entry["family"] + ",";
        if (families.find("," + std::string(family) + ",") != std::string::npos) {
            out.push_back(entry);
        }
    }
    return out;
}

void Contract::await(const std::function<bool()>& condition) const {
    ASSERT_TRUE(testing::wait_until(condition));
}

void Contract::await_time(std::int64_t ms) const {
    await([this, ms] { return now() >= ms; });
}

}  // namespace ff::contract
