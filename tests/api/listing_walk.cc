#include "api/listing_walk.h"

#include <stdexcept>
#include <utility>

namespace ff::testing {
namespace {

constexpr int kPagesMost = 20'000;
constexpr int kMeanwhileMost = 60;

bool is_last(const JsonReply& reply, const json::Value& found) {
    const auto more = reply.json().find("more");
    if (more) return !more->as_bool().value_or(false);
    // A log has no end but the page on which nothing stands.
    return !reply.has("next_cursor") && found.size() == 0;
}

}  // namespace

ListingWalk::Counts ListingWalk::walk(const Listing& listing, int limit) {
    Counts counts;
    std::string cursor;
    for (int page = 0; page < kPagesMost; ++page) {
        const std::string join = listing.target.find('?') == std::string::npos ? "?" : "&";
        const JsonReply reply =
            world().get(listing.target + join + "limit=" + std::to_string(limit) +
                        (cursor.empty() ? "" : "&" + listing.cursor + "=" + encode(cursor)));
        if (reply.status != 200) throw std::runtime_error(reply.body);
        const json::Value found = *reply.json().find(listing.list);
        EXPECT_LE(found.size(), static_cast<std::size_t>(limit)) << listing.target;
        for (std::size_t i = 0; i < found.size(); ++i) {
            const json::Value one = found.element(i);
            const auto name = one.is_object() ? one.find(listing.id).value_or(one) : one;
            ++counts[std::string(name.as_string().value_or(name.to_text()))];
        }
        const auto next = reply.json().find(listing.next);
        if (!next || !next->as_string() || is_last(reply, found)) return counts;
        cursor = *next->as_string();
    }
    ADD_FAILURE() << listing.target << " does not end";
    return counts;
}

std::vector<std::string> ListingWalk::entries_of(const Listing& listing) {
    std::vector<std::string> entries;
    for (const auto& [entry, count] : walk(listing, 50)) entries.push_back(entry);
    return entries;
}

void ListingWalk::expect_once_each(const Counts& counts, const std::vector<std::string>& entries,
                                   const std::string& where) {
    std::size_t missing = 0;
    for (const std::string& entry : entries) missing += counts.contains(entry) ? 0 : 1;
    EXPECT_EQ(missing, 0U) << "of " << entries.size() << " are not in " << where;
    std::size_t repeated = 0;
    for (const auto& [entry, count] : counts) repeated += count > 1 ? 1 : 0;
    EXPECT_EQ(repeated, 0U) << "are repeated in " << where;
}

void ListingWalk::expect_complete(const Listing& listing, const std::vector<std::string>& entries,
                                  std::span<const int> page_sizes) {
    for (const int limit : page_sizes) {
        expect_once_each(walk(listing, limit), entries,
                         listing.target + " by " + std::to_string(limit));
    }
}

std::vector<std::string> ListingWalk::create_batch(int count, std::string_view more) {
    std::string batch = R"({"executions":[)";
    for (int i = 0; i < count; ++i) batch += (i == 0 ? "" : ",") + new_execution(more);
    const JsonReply reply = world().post("/v1/executions/batch", batch + "]}");
    if (reply.status != 200) throw std::runtime_error(reply.body);
    std::vector<std::string> ids;
    const json::Value results = *reply.json().find("results");
    for (std::size_t i = 0; i < results.size(); ++i) {
        ids.emplace_back(results.element(i).find("execution_id")->as_string().value_or(""));
    }
    return ids;
}

Meanwhile::Meanwhile(std::function<void()> work)
    : thread_([this, work = std::move(work)] {
          for (int i = 0; i < kMeanwhileMost && !stopped_; ++i) work();
      }) {}

Meanwhile::~Meanwhile() {
    stopped_ = true;
    thread_.join();
}

}  // namespace ff::testing
