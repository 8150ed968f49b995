#include "valkey/pipeline.h"

#include <algorithm>
#include <utility>

#include "model/transport_kind.h"

namespace ff::valkey {
namespace {

constexpr std::string_view kAsking = "*1\r\n$6\r\nASKING\r\n";

Failure expired(Sent sent) {
    using model::TransportKind;
    if (sent == Sent::No)
        return {.error = model::storage_error(TransportKind::IoError,
                                              "not sent by its deadline: no connection")};
    return {.error = model::storage_error(TransportKind::FatalReceive, "no reply by the deadline"),
            .sent = Sent::Maybe};
}

}  // namespace

bool Pipeline::add(Exchange& exchange) {
    if (waiting_.size() >= limits_.waiting_max) return false;
    waiting_.push_back(&exchange);
    exchange.pipeline = this;
    return true;
}

void Pipeline::encode(std::string& out, Time now) {
    while (!waiting_.empty() && sent_.size() < limits_.in_flight_max &&
           out.size() < limits_.write_bytes_max) {
        Exchange* exchange = waiting_.front();
        waiting_.pop_front();
        if (exchange->asking) {
            out.append(kAsking);
            encoded_ += kAsking.size();
            sent_.push_back({.exchange = nullptr, .at = now, .end = encoded_});
        }
        const std::string_view wire = exchange->command->wire();
        out.append(wire);
        encoded_ += wire.size();
        sent_.push_back({.exchange = exchange, .at = now, .end = encoded_});
    }
}

Pipeline::Matched Pipeline::on_reply(resp::Value reply, Time now) {
    if (sent_.empty()) return {};
    const Entry entry = sent_.front();
    sent_.pop_front();
    if (entry.exchange == nullptr) return {.matched = true};
    entry.exchange->finish(std::move(reply));
    return {.matched = true, .round_trip = now - entry.at};
}

void Pipeline::on_broken(const Error& error, bool worth_retrying) {
    const Failure failure{.error = error, .sent = Sent::Maybe, .worth_retrying = worth_retrying};
    std::vector<Ended> ended;
    std::vector<Exchange*> again;
    for (const Entry& entry : sent_) {
        if (entry.exchange == nullptr) continue;
        if (entry.end <= handed_) {
            ended.push_back({entry.exchange, failure});
        } else {
            again.push_back(entry.exchange);
        }
    }
    waiting_.insert(waiting_.begin(), again.begin(), again.end());
    sent_.clear();
    encoded_ = handed_ = 0;
    finish_all(ended);
}

void Pipeline::refuse_waiting(const Error& error, bool worth_retrying) {
    const Failure failure{.error = error, .worth_retrying = worth_retrying};
    std::vector<Ended> ended;
    for (Exchange* exchange : waiting_) ended.push_back({exchange, failure});
    waiting_.clear();
    finish_all(ended);
}

void Pipeline::expire(Time now) {
    std::vector<Ended> ended;
    for (Entry& entry : sent_) {
        if (entry.exchange == nullptr || entry.exchange->deadline.at() > now) continue;
        ended.push_back({std::exchange(entry.exchange, nullptr), expired(Sent::Maybe)});
    }
    std::erase_if(waiting_, [&](Exchange* exchange) {
        if (exchange->deadline.at() > now) return false;
        ended.push_back({exchange, expired(Sent::No)});
        return true;
    });
    finish_all(ended);
}

void Pipeline::abandon(Exchange& exchange, const Error& error) {
    Failure failure{.error = error, .worth_retrying = false};
    if (std::erase(waiting_, &exchange) == 0) {
        const auto entry = std::ranges::find(sent_, &exchange, &Entry::exchange);
        if (entry == sent_.end()) return;
        entry->exchange = nullptr;
        failure.sent = Sent::Maybe;
    }
    exchange.finish(std::move(failure));
}

Pipeline::Time Pipeline::next_deadline() const {
    Time next = Time::max();
    for (const Entry& entry : sent_)
        if (entry.exchange != nullptr) next = std::min(next, entry.exchange->deadline.at());
    for (const Exchange* exchange : waiting_) next = std::min(next, exchange->deadline.at());
    return next;
}

std::optional<Pipeline::Time> Pipeline::oldest_sent() const {
    if (sent_.empty()) return std::nullopt;
    return sent_.front().at;
}

bool Pipeline::unwanted() const {
    return waiting_.empty() &&
           std::ranges::all_of(sent_, [](const Entry& entry) { return entry.exchange == nullptr; });
}

void Pipeline::finish_all(std::vector<Ended>& ended) {
    for (Ended& one : ended) one.exchange->finish(std::move(one.failure));
}

}  // namespace ff::valkey
