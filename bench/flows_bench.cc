// Flows on the embedded store, through the engine's operations and a driver in the same process
// that cascades on completion: chains, fan-outs, random graphs, and cancelling a large flow. What
// lies between the end of a node and its child being claimable is compared with the completion of
// an execution outside any flow, in the same run.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/random.h"
#include "engine/claim_batch.h"
#include "engine/create_execution.h"
#include "engine/end_execution.h"
#include "engine/flow_build.h"
#include "engine/flow_cancel.h"
#include "engine/flow_resolve.h"
#include "engine/operation.h"
#include "host/embedded_store.h"
#include "model/library.h"
#include "report.h"
#include "support/run.h"

namespace ff::bench {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Micros = std::chrono::duration<double, std::micro>;

const model::LaneId kLane = *model::LaneId::parse("bench");
const model::Namespace kNamespace = *model::Namespace::parse("bench");
const model::WorkerId kWorker = *model::WorkerId::parse("worker");
const model::WorkerInstanceId kInstance = *model::WorkerInstanceId::parse("worker-1");
constexpr std::size_t kClaimed = 64;

template <class T>
T must(Result<T> result) {
    if (!result) {
        std::fprintf(stderr, "bench: %s\n", result.error().text().c_str());
        std::abort();
    }
    return *std::move(result);
}

/// A graph by numbers: the upstreams of each node.
using Graph = std::vector<std::vector<std::size_t>>;

Graph chain(std::size_t nodes) {
    Graph graph(nodes);
    for (std::size_t i = 1; i < nodes; ++i) graph[i].push_back(i - 1);
    return graph;
}

/// One node, `width` behind it, one behind all of those.
Graph fan(std::size_t width) {
    Graph graph(width + 2);
    for (std::size_t i = 1; i <= width; ++i) {
        graph[i].push_back(0);
        graph[width + 1].push_back(i);
    }
    return graph;
}

/// Each node behind two of the eight before it.
Graph random_graph(std::size_t nodes, Random& random) {
    Graph graph(nodes);
    for (std::size_t i = 1; i < nodes; ++i) {
        const std::size_t window = std::min<std::size_t>(i, 8);
        const std::size_t first = i - 1 - random.below(window);
        const std::size_t second = i - 1 - random.below(window);
        graph[i].push_back(first);
        if (second != first) graph[i].push_back(second);
    }
    return graph;
}

std::size_t edges_of(const Graph& graph) {
    std::size_t count = 0;
    for (const auto& ups : graph) count += ups.size();
    return count;
}

class Driver {
  public:
    Driver() : random_(7) {
        host::EmbeddedOptions options;
        options.shards = 1;
        options.library = model::library_text();
        store_ = must(host::EmbeddedStore::open(std::move(options)));
    }

    template <engine::Operation Op>
    typename Op::Outcome call(Op operation) {
        return must(testing::run(loop_, engine::run(*store_, std::move(operation))));
    }

    engine::FlowAddress submit(const Graph& graph) {
        const engine::FlowAddress flow{.id = model::FlowId::mint(random_)};
        std::vector<std::string> ids;
        std::string nodes;
        std::string edges;
        for (const auto& ups : graph) {
            ids.push_back(
                model::ExecutionId::for_flow(flow.id, flow.partitions, random_).to_string());
            nodes += (nodes.empty() ? "" : ",") + (R"({"eid":")" + ids.back()) +
                     R"(","lane":"bench","kind":"noop","priority":0,"creator":"","policy":"",)"
                     R"("payload":-1,"delay_until":"","deadline_at":""})";
            for (const std::size_t up : ups) {
                edges += (edges.empty() ? "" : ",") +
                         (R"({"id":")" + model::EdgeId::mint(random_).to_string()) + R"(","up":")" +
                         ids[up] + R"(","down":")" + ids.back() + "\"}";
            }
        }
        std::string plan = R"({"flow":{"flow_kind":"b","namespace":"bench","seal":true},"nodes":[)";
        plan += nodes + "],\"edges\":[" + edges + "]}";
        call(engine::SubmitFlow{.flow = flow, .plan_json = std::move(plan)});
        return flow;
    }

    std::vector<engine::ClaimedTask> claim(model::PartitionKey partition) {
        engine::ClaimBatch batch{.partition = partition,
                                 .worker_id = kWorker,
                                 .worker_instance_id = kInstance,
                                 .lane = kLane,
                                 .reclaim_first = false};
        for (std::size_t i = 0; i < kClaimed; ++i) {
            batch.leases.push_back({.lease_id = model::LeaseId::mint(random_),
                                    .attempt_id = model::AttemptId::mint(random_)});
        }
        return call(std::move(batch)).claimed;
    }

    void complete(const engine::ClaimedTask& task) {
        call(engine::CompleteExecution{
            .execution_id = task.execution_id, .fence = task.fence, .result = "done"});
    }

    /// Completes a node and cascades, until its children are claimable. Returns how long that took.
    double end_node(const engine::ClaimedTask& task, const engine::FlowAddress& flow) {
        const auto start = SteadyClock::now();
        complete(task);
        engine::CascadeCompletion::Outcome page{.cursor = "0"};
        do {
            page = call(engine::CascadeCompletion{
                .execution_id = task.execution_id, .flow = flow, .cursor = page.cursor});
        } while (!page.done());
        return Micros(SteadyClock::now() - start).count();
    }

    /// Runs a whole flow; the times of its nodes' ends go to `ends`.
    void run_flow(const Graph& graph, std::vector<double>& ends) {
        const engine::FlowAddress flow = submit(graph);
        const model::PartitionKey partition = model::partition_of(flow.id, flow.partitions);
        std::size_t done = 0;
        while (done < graph.size()) {
            const auto tasks = claim(partition);
            if (tasks.empty()) {
                std::fprintf(stderr, "bench: nothing claimable after %zu nodes\n", done);
                std::abort();
            }
            for (const auto& task : tasks) ends.push_back(end_node(task, flow));
            done += tasks.size();
        }
    }

    /// Completions of executions outside any flow.
    std::vector<double> solo_completions(int count) {
        std::vector<double> took;
        const auto partition = model::PartitionKey::flow(300);
        for (int i = 0; i < count; ++i) {
            const std::string id = "{fp:300}:" + model::Uuid::mint_v4(random_).to_string();
            call(engine::CreateExecution{.execution_id = *model::ExecutionId::parse(id),
                                         .ns = kNamespace,
                                         .lane = kLane,
                                         .execution_kind = "noop"});
            for (const auto& task : claim(partition)) {
                const auto start = SteadyClock::now();
                complete(task);
                took.push_back(Micros(SteadyClock::now() - start).count());
            }
        }
        return took;
    }

    Random& random() { return random_; }

  private:
    SeededRandom random_;
    boost::asio::io_context loop_{1};
    std::unique_ptr<host::EmbeddedStore> store_{};
};

double percentile(std::vector<double> values, double part) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

/// Microseconds of one flow: the median, since whatever else the machine does disturbs single
/// flows.
double time_of(Driver& driver, const Graph& graph, int flows, std::vector<double>& ends) {
    std::vector<double> took;
    for (int i = 0; i < flows; ++i) {
        const auto start = SteadyClock::now();
        driver.run_flow(graph, ends);
        took.push_back(Micros(SteadyClock::now() - start).count());
    }
    return percentile(std::move(took), 0.5);
}

void report_shape(Report& report, const std::string& name, double flow_us,
                  const std::vector<double>& ends) {
    report.add(name + "_flows_per_second", 1e6 / flow_us, "1/s");
    report.add(name + "_node_gap_p50", percentile(ends, 0.5), "us");
    report.add(name + "_node_gap_p99", percentile(ends, 0.99), "us");
}

/// Passes over the owed members until nothing is owed.
void cancel_large(Driver& driver, Report& report) {
    const engine::FlowAddress flow = driver.submit(Graph(1000));
    const auto start = SteadyClock::now();
    driver.call(engine::CancelFlow{.flow = flow, .reason = "bench"});
    double passes = 0;
    engine::CancelFlowMembers::Outcome page{.owed = 1, .cursor = "0"};
    do {
        if (page.cursor == "0") passes += 1;
        page = driver.call(
            engine::CancelFlowMembers{.flow = flow, .members_max = 500, .cursor = page.cursor});
    } while (page.owed > 0);
    report.add("cancel_1000_ms", Micros(SteadyClock::now() - start).count() / 1000, "ms");
    report.add("cancel_1000_passes", passes);
}

int run_all(Report& report) {
    Driver driver;
    std::vector<double> warm_up;
    time_of(driver, chain(10), 20, warm_up);
    driver.solo_completions(200);
    const std::vector<double> solo = driver.solo_completions(2000);
    report.add("completion_p50", percentile(solo, 0.5), "us");
    report.add("completion_p99", percentile(solo, 0.99), "us");

    std::vector<double> chain_ends;
    const double chain_us = time_of(driver, chain(10), 200, chain_ends);
    report_shape(report, "chain_10", chain_us, chain_ends);
    std::vector<double> fan_ends;
    const double fan_us = time_of(driver, fan(100), 10, fan_ends);
    report_shape(report, "fan_100", fan_us, fan_ends);
    report.add_ratio("node_gap_over_completion_p50", percentile(chain_ends, 0.5),
                     percentile(solo, 0.5));

    std::vector<double> small_ends;
    std::vector<double> large_ends;
    const Graph small = random_graph(10, driver.random());
    const Graph large = random_graph(1000, driver.random());
    const double small_us = time_of(driver, small, 200, small_ends);
    const double large_us = time_of(driver, large, 7, large_ends);
    report_shape(report, "random_10", small_us, small_ends);
    report_shape(report, "random_1000", large_us, large_ends);
    report.add("edge_cost_10", small_us / static_cast<double>(edges_of(small)), "us");
    report.add("edge_cost_1000", large_us / static_cast<double>(edges_of(large)), "us");
    report.add_ratio("edge_cost_1000_over_10", report.value("edge_cost_1000"),
                     report.value("edge_cost_10"));
    cancel_large(driver, report);
    return report.finish();
}

}  // namespace
}  // namespace ff::bench

int main(int argc, char** argv) {
    ff::bench::Report report("flows", argc, argv);
    return ff::bench::run_all(report);
}
