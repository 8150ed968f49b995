#include <condition_variable>
#include <deque>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>

#include <unistd.h>

#include "cli/child.h"
#include "cli/commands.h"
#include "cli/demo_flow.h"
#include "cli/flow_drawing.h"
#include "cli/try.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Millis;

namespace {

constexpr Millis kPatience{20'000};
constexpr std::size_t kWordsALine = 5;
constexpr std::string_view kServing = "flowfabric: serving ";

/// What the processes of the demo say, in the order it arrives.
class Chatter {
  public:
    struct Line {
        std::string who{};
        std::string text{};
    };
    void add(std::string who, std::string text) {
        const std::lock_guard lock(mutex_);
        lines_.push_back({std::move(who), std::move(text)});
        changed_.notify_all();
    }
    std::optional<Line> next() {
        std::unique_lock lock(mutex_);
        if (!changed_.wait_for(lock, kPatience, [this] { return !lines_.empty(); }))
            return std::nullopt;
        Line line = std::move(lines_.front());
        lines_.pop_front();
        return line;
    }

  private:
    std::mutex mutex_{};
    std::condition_variable changed_{};
    std::deque<Line> lines_{};
};

/// The demo as it goes.
class Demo {
  public:
    Demo(Session& session, bool ask) : session_(session), ask_(ask) {}
    int run();

  private:
    void say(const std::string& topic, const std::string& text, Colour colour = Colour::Plain);
    Result<Done> start(const std::string& who, std::vector<std::string> arguments);
    Result<Done> start_server();
    flowfabric::Result<flowfabric::Done> submit();
    /// Follows the workers until the draft asks for approval, and kills one on the way.
    Result<Done> follow_until_draft();
    void on_begun(const Chatter::Line& line, const std::string& node, const std::string& type);
    /// `what` is `<node>/<index of the word>`. Words are shown a few at a time.
    void on_token(const std::string& who, const std::string& what);
    bool approved() const;
    int finish();

    Session& session_;
    bool ask_;
    Chatter chatter_{};
    std::map<std::string, std::unique_ptr<Child>> children_{};
    std::string url_{};
    std::optional<AdminClient> client_{};
    std::string budget_{};
    flowfabric::SubmittedFlow flow_{};
    std::string killed_{};
    std::string orphan_{};
    int reclaimed_ = 0;
};

void Demo::say(const std::string& topic, const std::string& text, Colour colour) {
    std::string head = topic;
    head.resize(10, ' ');
    session_.line("  " + session_.paint(head, Colour::Grey) + session_.paint(text, colour));
}

Result<Done> Demo::start(const std::string& who, std::vector<std::string> arguments) {
    FF_TRY(children_[who], Child::start(std::move(arguments), [this, who](const std::string& line) {
               chatter_.add(who, line);
           }));
    return Done{};
}

Result<Done> Demo::start_server() {
    FF_CHECK(start("server", {"server", "--listen-addr=127.0.0.1:0",
                              "--data-dir=:memory:", "--log=error", "--backend=embedded"}));
    while (const auto line = chatter_.next()) {
        if (!line->text.starts_with(kServing)) continue;
        url_ = line->text.substr(kServing.size());
        say("server", url_ + ", in memory");
        say("console", url_ + "/console/");
        return Done{};
    }
    return Error{.code = "internal", .message = "the server did not start"};
}

flowfabric::Result<flowfabric::Done> Demo::submit() {
    auto client = AdminClient::connect(url_);
    if (!client) return client.error();
    client_ = *std::move(client);
    auto budget =
        client_->create_budget({.scope = {"lane", std::string(kDemoLane)},
                                .hard_limits = {{"tokens", 2 * kDemoWords * kDemoResearches}}});
    if (!budget) return budget.error();
    budget_ = *std::move(budget);
    auto flow = client_->submit_flow(demo_graph(budget_));
    if (!flow) return flow.error();
    flow_ = *std::move(flow);
    say("flow", "plan → research ×3 → draft (asks you) → publish");
    say("budget", "at most " + std::to_string(2 * kDemoWords * kDemoResearches) + " tokens");
    return flowfabric::Done{};
}

void Demo::on_begun(const Chatter::Line& line, const std::string& node, const std::string& type) {
    const bool takeover = type == "reclaim";
    if (takeover) {
        ++reclaimed_;
        say("reclaimed", node + " is taken over by " + line.who + " after its lease ran out",
            Colour::Green);
    } else {
        say(line.who, "runs " + node);
    }
}

void Demo::on_token(const std::string& who, const std::string& what) {
    const std::size_t slash = what.find('/');
    const std::string node = what.substr(0, slash);
    const auto at = static_cast<std::size_t>(std::stoul(what.substr(slash + 1)));
    if ((at + 1) % kWordsALine != 0) return;
    std::string words;
    for (std::size_t i = at + 1 - kWordsALine; i <= at; ++i)
        words += " " + std::string(kDemoText.at(i));
    say(who, node + " streams:" + words, Colour::Grey);
}

Result<Done> Demo::follow_until_draft() {
    bool draft = false;
    while (!draft) {
        const auto line = chatter_.next();
        if (!line) return Error{.code = "timeout", .message = "the workers went silent"};
        std::istringstream words(line->text);
        std::string verb;
        std::string what;
        std::string attempt;
        std::string type;
        words >> verb >> what >> attempt >> type;
        if (verb == "begun") on_begun(*line, what, type);
        if (verb == "done") say(line->who, "has finished " + what);
        if (verb == "token") on_token(line->who, what);
        draft = verb == "begun" && what == "draft";
        // In the middle of a piece of research, some words in.
        const bool moment = killed_.empty() && verb == "token" && what.ends_with("/5");
        if (!moment) continue;
        killed_ = line->who;
        orphan_ = what.substr(0, what.find('/'));
        Child& victim = *children_[killed_];
        say("SIGKILL",
            killed_ + " (process " + std::to_string(victim.pid()) + ") dies in the middle of " +
                orphan_,
            Colour::Red);
        victim.kill();
    }
    return Done{};
}

bool Demo::approved() const {
    if (!ask_) return true;
    session_.write("\n  The draft waits for your approval. Publish it? [y/N] ");
    std::string answer;
    std::getline(std::cin, answer);
    return answer == "y" || answer == "Y" || answer == "yes";
}

int Demo::finish() {
    const Session& session = session_;
    const std::string publish = flow_.nodes.at("publish");
    FF_CLI_TRY(const auto ending, client_->wait_for_terminal(publish, kPatience));
    FF_CLI_TRY(const auto graph, client_->flow_graph(flow_.flow_id));
    session_.line("");
    for (const std::string& line :
         draw_flow(graph.nodes, graph.edges,
                   [&](const std::string& state) { return session_.paint_state(state); }))
        session_.line("  " + line);
    // What the server says, not what we believe: one completion event for every node, and a budget
    // that counted every word once although one worker died with half of them said.
    FF_CLI_TRY(const auto feed, client_->read_feed({.families = {"completion"},
                                                    .cursor = "earliest",
                                                    .flow_id = flow_.flow_id,
                                                    .limit = 1000},
                                                   Millis(0)));
    std::map<std::string, int> completions;
    for (const auto& event : feed.events) ++completions[event.execution_id];
    int lost = 0;
    int doubled = 0;
    for (const auto& [name, id] : flow_.nodes) {
        FF_CLI_TRY(const auto info, client_->describe_execution(id));
        if (info.terminal_outcome != "success" || completions[id] == 0) ++lost;
        if (completions[id] > 1) ++doubled;
    }
    FF_CLI_TRY(const auto budget, client_->describe_budget(budget_));
    const auto used = budget.usage.find("tokens");
    const std::int64_t spent = used == budget.usage.end() ? 0 : used->second;
    const std::int64_t due = std::int64_t{kDemoWords} * kDemoResearches;
    if (spent < due) ++lost;
    if (spent > due) ++doubled;
    session_.line("");
    say("budget", std::to_string(spent) + " tokens counted, " + std::to_string(due) + " due");
    say("reclaims", std::to_string(reclaimed_));
    say("lost", lost == 0 ? "nothing" : std::to_string(lost),
        lost == 0 ? Colour::Green : Colour::Red);
    say("doubled", doubled == 0 ? "nothing" : std::to_string(doubled),
        doubled == 0 ? Colour::Green : Colour::Red);
    session_.line("");
    say("next", "flowfabric dev        a server of your own, with a console to look at");
    say("", "flowfabric submit hello --payload world --follow");
    say("", "docs/getting-started.md in Python, TypeScript, C++ or curl");
    return lost == 0 && doubled == 0 && reclaimed_ > 0 && ending.public_state == "completed"
               ? kDone
               : kFailed;
}

int Demo::run() {
    const Session& session = session_;
    session_.line("");
    FF_CLI_TRY([[maybe_unused]] const Done served, start_server());
    FF_CLI_TRY([[maybe_unused]] const flowfabric::Done submitted, submit());
    for (const std::string who : {"worker-1", "worker-2"}) {
        FF_CLI_TRY([[maybe_unused]] const Done started,
                   start(who, {"demo-worker", "--server", url_, "--instance", who}));
    }
    FF_CLI_TRY([[maybe_unused]] const Done followed, follow_until_draft());
    const std::string draft = flow_.nodes.at("draft");
    std::vector<flowfabric::Waitpoint> open;
    const auto until = std::chrono::steady_clock::now() + kPatience;
    while (open.empty() && std::chrono::steady_clock::now() < until) {
        FF_CLI_TRY(open, client_->list_pending_waitpoints(draft));
        if (open.empty()) std::this_thread::sleep_for(Millis(10));
    }
    if (open.empty())
        return session_.fail(Error{.code = "timeout", .message = "the draft did not ask"});
    if (!approved()) {
        FF_CLI_TRY([[maybe_unused]] const auto gone,
                   client_->cancel_flow(flow_.flow_id, "not approved", Millis(5000)));
        say("draft", "not approved; the flow is cancelled");
        return kDone;
    }
    FF_CLI_TRY([[maybe_unused]] const auto receipt,
               client_->approve(draft, open.front().waitpoint_id, "approved", "demo"));
    say("approved", ask_ ? "by you" : "by --yes");
    return finish();
}

}  // namespace

int run_demo(Session& session, const Arguments& arguments) {
    const bool ask = !arguments.has("yes");
    if (ask && ::isatty(STDIN_FILENO) == 0)
        return session.usage(
            mistake("The demo asks for an approval; without a terminal it needs --yes."));
    return Demo(session, ask).run();
}

}  // namespace ff::cli
