#include "simulation/history.h"

namespace ff::simulation {

std::string History::Entry::to_text() const {
    constexpr std::int64_t kFirst = 1'700'000'000'000;
    const std::int64_t ms = to_ms(at) - kFirst;
    std::string text = std::to_string(ms / 1000) + "." + std::to_string(1000 + ms % 1000).substr(1);
    return text + "  " + who + "  " + what + (subject.empty() ? "" : "  " + subject) +
           (outcome.empty() ? "" : "  -> " + outcome);
}

void History::mix(std::string_view text) {
    constexpr std::uint64_t kPrime = 0x100000001b3U;
    for (const char c : text) digest_ = (digest_ ^ static_cast<unsigned char>(c)) * kPrime;
    digest_ = (digest_ ^ 0xffU) * kPrime;
}

std::uint64_t History::digest(std::uint64_t store_calls) {
    mix(std::to_string(operations_) + " " + std::to_string(store_calls) + " " +
        std::to_string(faults));
    return digest_;
}

void History::note(Entry entry) {
    mix(std::to_string(to_ms(entry.at)));
    mix(entry.who);
    mix(entry.what);
    mix(entry.subject);
    mix(entry.outcome);
    if (tell_) tell_(entry);
    if (is_broken()) return;
    last_.push_back(std::move(entry));
    if (last_.size() > kLastMost) last_.pop_front();
}

void History::broke(std::string promise, std::string what) {
    if (is_broken()) return;
    broken_ = Broken{.promise = std::move(promise), .what = std::move(what)};
}

}  // namespace ff::simulation
