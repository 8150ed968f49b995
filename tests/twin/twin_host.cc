#include "twin/twin_host.h"

#include <utility>

namespace ff::twin {
namespace {

/// One call in so many is sent twice, loses its reply, or arrives spoilt.
constexpr std::uint64_t kRepeatOneIn = 40;
constexpr std::uint64_t kLoseOneIn = 60;
constexpr std::uint64_t kSpoilOneIn = 50;
constexpr std::uint64_t kStepUsMax = 1500;
constexpr std::size_t kDeletedAtOnce = 500;
/// FCALL, the function and the number of its keys stay: spoiling them tests no function.
constexpr std::size_t kFirstKey = 3;

/// {1,...}, or a verdict alone, as ff_check_admission_and_record and ff_version give it.
bool is_grant(const RespValue& reply) {
    if (reply.is_error()) return false;
    if (reply.items.empty()) return reply.kind != RespValue::Kind::Array;
    return reply.items[0].kind != RespValue::Kind::Integer || reply.items[0].integer == 1;
}

}  // namespace

TwinHost::TwinHost(const PairOptions& options, std::uint64_t seed)
    : states_(options), random_(seed) {}

void TwinHost::perform(RecordedCall call) {
    calls_.push_back(std::move(call));
    const std::string difference = states_.run(calls_.back());
    if (!difference.empty()) throw Difference(difference);
    reply_ = states_.reply();
    count(calls_.back());
}

void TwinHost::count(const RecordedCall& call) {
    if (call.argv[0] != "FCALL") return;
    ++function_calls_;
    const std::string_view name = name_of(call);
    auto found = tallies_.find(name);
    if (found == tallies_.end()) found = tallies_.emplace(std::string(name), FunctionTally{}).first;
    ++found->second.calls;
    if (is_grant(reply_)) ++found->second.granted;
}

List TwinHost::spoilt(List args) {
    if (args.size() <= kFirstKey) return args;
    const std::size_t at = kFirstKey + random_.below(args.size() - kFirstKey);
    switch (random_.below(5)) {
        case 0:
            args[at].clear();
            break;
        case 1:
            args.resize(at);
            break;
        case 2:
            std::swap(args[at], args[kFirstKey + random_.below(args.size() - kFirstKey)]);
            break;
        case 3:
            args[at] += static_cast<char>(random_.below(256));
            break;
        default:
            args[at] = std::to_string(random_.below(1000));
    }
    return args;
}

RespValue TwinHost::command(const List& args) {
    now_ += std::chrono::microseconds(random_.below(kStepUsMax));
    const bool is_spoilt = random_.below(kSpoilOneIn) == 0;
    perform({now_, is_spoilt ? spoilt(args) : args});
    RespValue reply = reply_;
    if (random_.below(kRepeatOneIn) == 0) {
        now_ += std::chrono::microseconds(random_.below(kStepUsMax));
        perform({now_, args});
    }
    if (random_.below(kLoseOneIn) == 0) return {};
    return reply;
}

RespValue TwinHost::peek(const List& args) {
    return states_.peek({now_, args});
}

std::map<std::string, std::string> TwinHost::keys(const std::string& tag) {
    std::map<std::string, std::string> out;
    for (const std::string& key : states_.keys_with(tag)) out[key] = peek({"TYPE", key}).text;
    return out;
}

std::unique_ptr<contract::Listener> TwinHost::listen(const std::string& channel) {
    throw std::logic_error("nobody listens to " + channel + " here");
}

void TwinHost::compare() {
    const std::string difference = states_.compare_contents();
    if (!difference.empty()) throw Difference(difference);
}

void TwinHost::retire(const std::string& tag) {
    compare();
    List deletion{"DEL"};
    for (std::string& key : states_.keys_with(tag)) {
        deletion.push_back(std::move(key));
        if (deletion.size() <= kDeletedAtOnce) continue;
        perform({now_, std::exchange(deletion, {"DEL"})});
    }
    if (deletion.size() > 1) perform({now_, std::move(deletion)});
}

}  // namespace ff::twin
