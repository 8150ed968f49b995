#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "contract/execution.h"
#include "contract/flows.h"
#include "contract/suspension.h"
#include "twin/twin_host.h"

namespace ff::twin {

/// Where in its life an execution is: what may be asked of it next.
enum class Stage : std::uint8_t {
    Absent,
    Eligible,
    Interrupted,  // eligible again, in the middle of an attempt
    Blocked,
    Delayed,
    WaitingChildren,
    Leased,
    Lost,  // active, but its lease has lapsed or was revoked
    Suspended,
    Ended,
};
inline constexpr std::size_t kStages = 10;

/// One execution as its callers know it. The lease is that of the last look at it.
struct Task {
    contract::Execution execution;
    Stage stage = Stage::Absent;
    int attempt = 0;
    std::string flow_id{};
    std::string suspension_id{};
    std::vector<contract::Waitpoint> waitpoints{};
};

struct Edge {
    std::string id{};
    std::string upstream{};
    std::string downstream{};
};

struct KnownFlow {
    contract::Flow flow;
    std::vector<std::string> members{};
    std::vector<Edge> edges{};
};

/// What the callers know of one partition.
struct Partition {
    std::string tag{};
    std::deque<Task> tasks{};
    std::deque<KnownFlow> flows{};
    std::vector<std::string> budgets{};
    std::vector<std::string> quotas{};
    /// Calls made while this was the partition in use.
    std::uint64_t age = 0;
};

/// The callers of one run: what they know, and the one source of their whims.
class World {
  public:
    World(TwinHost& host, std::uint64_t seed) : host_(host), random_(seed) {}

    TwinHost& host() { return host_; }

    std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
    bool one_in(std::uint64_t n) { return random_.below(n) == 0; }
    std::string number(std::uint64_t bound) { return std::to_string(below(bound)); }
    std::string uuid();
    /// Up to so many bytes of any kind.
    std::string bytes(std::size_t most);
    template <class T>
    const T& pick(const std::vector<T>& list) {
        return list[below(list.size())];
    }
    std::string pick(std::initializer_list<std::string_view> list) {
        return std::string(list.begin()[below(list.size())]);
    }

    std::string worker() { return "w" + number(3); }
    std::string lane() { return one_in(8) ? "other" : "lane"; }
    std::string ns() { return pick({"ns", "ns", "ns", "acme", "beta"}); }
    std::string caps() { return pick({"", "", "cpu", "cpu,gpu"}); }
    /// As JSON; mostly none.
    std::string policy(const Partition& partition);
    std::string tags();
    contract::CreateArgs creation(const Partition& partition);
    contract::ClaimArgs claim();

    /// One that is known, or a new one.
    Task& task(Partition& partition);
    Task& new_task(Partition& partition);
    Task* find(Partition& partition, const std::string& execution_id);
    /// Reads where it is and, mostly, which lease it has now.
    void look(Task& task);

  private:
    TwinHost& host_;
    SeededRandom random_;
};

std::string budget_key(const Partition& partition, const std::string& id,
                       std::string_view suffix = "");
std::string index_key(const Partition& partition, std::string_view name);
std::string lane_key(const Partition& partition, std::string_view lane, std::string_view name);
std::string noop_key(const Partition& partition);

}  // namespace ff::twin
