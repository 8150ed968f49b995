#pragma once

#include <array>
#include <string>
#include <string_view>

#include "flowfabric/json.h"

namespace ff::cli {

constexpr std::string_view kDemoLane = "demo";
/// Words of each piece of research; each costs a token of the budget.
constexpr int kDemoWords = 20;
constexpr std::array<std::string_view, kDemoWords> kDemoText{
    "a",    "worker", "may",  "die",  "here", "at", "any",  "word",    "and",  "another",
    "goes", "on",     "with", "what", "was",  "it", "lost", "nothing", "said", "twice"};
constexpr int kDemoResearches = 3;
constexpr flowfabric::Millis kDemoLease{1500};

/// plan, then three pieces of research at a time, then a draft that needs approval, then publish.
flowfabric::Json demo_graph(const std::string& budget_id);

}  // namespace ff::cli
