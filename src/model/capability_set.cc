#include "model/capability_set.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/hash.h"
#include "model/characters.h"
#include "model/error_catalogue.h"

namespace ff::model {
namespace {

Error refused(std::string_view side, std::string_view why) {
    std::string detail(side);
    if (!side.empty()) detail += ':';
    detail += why;
    return make_error("invalid_capabilities", {std::move(detail)});
}

std::optional<std::string_view> fault_of(std::string_view token) {
    if (token.empty()) return "empty_token";
    if (token.find(',') != std::string_view::npos) return "comma_in_token";
    const Characters found = characters_of(token);
    if (found.control || found.whitespace) return "control_or_whitespace";
    return std::nullopt;
}

}  // namespace

CapabilitySet::CapabilitySet(std::vector<std::string> sorted_tokens)
    : tokens_(std::move(sorted_tokens)) {
    for (const std::string& token : tokens_) {
        if (!csv_.empty()) csv_ += ',';
        csv_ += token;
    }
}

Result<CapabilitySet> CapabilitySet::parse(std::span<const std::string_view> tokens,
                                           std::string_view side) {
    for (const std::string_view token : tokens)
        if (const auto fault = fault_of(token)) return refused(side, *fault);
    std::vector<std::string> distinct(tokens.begin(), tokens.end());
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    if (distinct.size() > kTokensMax) return refused(side, "too_many_tokens");
    CapabilitySet set(std::move(distinct));
    if (set.csv_.size() > kCsvBytesMax) return refused(side, "too_many_bytes");
    return set;
}

Result<CapabilitySet> CapabilitySet::parse_csv(std::string_view csv, std::string_view side) {
    std::vector<std::string_view> tokens;
    while (!csv.empty()) {
        const std::size_t end = std::min(csv.find(','), csv.size());
        if (end != 0) tokens.push_back(csv.substr(0, end));
        csv.remove_prefix(std::min(end + 1, csv.size()));
    }
    return parse(tokens, side);
}

std::string CapabilitySet::digest() const {
    return digest8(csv_);
}

std::string CapabilitySet::route_hash() const {
    return sha1_hex(csv_);
}

bool CapabilitySet::covers(const CapabilitySet& required) const {
    return std::includes(tokens_.begin(), tokens_.end(), required.tokens_.begin(),
                         required.tokens_.end());
}

CapabilitySet CapabilitySet::missing(const CapabilitySet& required) const {
    std::vector<std::string> out;
    std::set_difference(required.tokens_.begin(), required.tokens_.end(), tokens_.begin(),
                        tokens_.end(), std::back_inserter(out));
    return CapabilitySet(std::move(out));
}

}  // namespace ff::model
