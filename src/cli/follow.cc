#include "cli/follow.h"

#include <algorithm>
#include <chrono>

#include "cli/commands.h"
#include "cli/try.h"

namespace ff::cli {

using flowfabric::AdminClient;
using flowfabric::Json;
using flowfabric::Millis;

namespace {

constexpr Millis kTurn{10'000};
constexpr std::int64_t kTimeoutMsMax = 366LL * 24 * 3600 * 1000;

bool has_ended(const flowfabric::ExecutionInfo& info) {
    return info.lifecycle_phase == "terminal";
}

void tell(const Session& session, const flowfabric::ExecutionInfo& info) {
    if (session.json()) {
        session.print_json(info.raw);
        return;
    }
    std::string line = session.paint_state(info.public_state);
    if (info.blocking_reason != "none" && !info.blocking_reason.empty())
        line += "  " + info.blocking_reason;
    if (info.attempt_count > 0) line += "  attempt " + std::to_string(info.attempt_index);
    if (info.progress_pct >= 0) line += "  " + std::to_string(info.progress_pct) + " %";
    if (!info.progress_message.empty()) line += "  " + info.progress_message;
    if (!info.failure_reason.empty()) line += "  " + info.failure_reason;
    session.line(line);
}

/// What a person would see of an execution; a new line is printed when it differs.
std::string look_of(const flowfabric::ExecutionInfo& info) {
    return info.public_state + '\n' + info.blocking_reason + '\n' +
           std::to_string(info.attempt_index) + '\n' + std::to_string(info.progress_pct) + '\n' +
           info.progress_message;
}

/// Frames as they come. Tokens are pieces of one text and run on; other frames get a line each.
class FramePrinter {
  public:
    explicit FramePrinter(const Session& session) : session_(session) {}
    FramePrinter(const FramePrinter&) = delete;
    FramePrinter& operator=(const FramePrinter&) = delete;
    ~FramePrinter() { end_line(); }

    void print(const std::vector<flowfabric::Frame>& frames) {
        for (const auto& frame : frames) {
            if (session_.json()) {
                session_.print_json(Json::object(
                    {{"id", frame.id}, {"frame_type", frame.type}, {"payload", frame.payload}}));
            } else if (frame.type == "token") {
                session_.write(frame.payload);
                if (!frame.payload.empty()) within_line_ = frame.payload.back() != '\n';
            } else {
                end_line();
                session_.line(session_.paint(frame.type, Colour::Grey) + "  " + frame.payload);
            }
        }
    }

  private:
    void end_line() {
        if (within_line_) session_.line("");
        within_line_ = false;
    }

    const Session& session_;
    bool within_line_ = false;
};

}  // namespace

flowfabric::Result<flowfabric::Done> follow_output(const Session& session,
                                                   const AdminClient& client,
                                                   const std::string& id) {
    FramePrinter printer(session);
    // Before the first look, so that nothing between the two is missed.
    flowfabric::Feed changes = client.feed({.execution_id = id});
    auto seen = changes.next_event(Millis(0));
    std::int64_t attempt = -1;
    std::string after;
    while (seen) {
        const auto info = client.describe_execution(id);
        if (!info) return info.error();
        if (info->attempt_index != attempt) after = "0-0";
        attempt = info->attempt_index;
        const bool running = info->public_state == "active";
        while (true) {
            const auto page = client.tail_stream(id, attempt, after, running ? kTurn : Millis(0));
            if (!page) return page.error();
            printer.print(page->frames);
            after = page->next;
            if (page->closed || page->frames.empty()) break;
        }
        if (has_ended(*info)) return flowfabric::Done{};
        seen = changes.next_event(running ? Millis(0) : kTurn);
    }
    return seen.error();
}

int run_watch(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t timeout,
                arguments.integer("timeout-ms", kTimeoutMsMax, 1, kTimeoutMsMax));
    FF_CLI_TRY(const AdminClient client, session.client());
    const std::string id = arguments.text("execution");
    const auto until = std::chrono::steady_clock::now() + Millis(timeout);
    // Before the first look, so that nothing between the two is missed.
    flowfabric::Feed changes = client.feed({.execution_id = id});
    FF_CLI_TRY(auto seen, changes.next_event(Millis(0)));
    std::string look;
    while (true) {
        FF_CLI_TRY(const auto info, client.describe_execution(id));
        if (look_of(info) != look) tell(session, info);
        look = look_of(info);
        if (has_ended(info)) return info.terminal_outcome == "success" ? kDone : kFailed;
        const auto left =
            std::chrono::duration_cast<Millis>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) {
            std::fprintf(stderr, "flowfabric: not ended in time\n");
            return kFailed;
        }
        // An event wakes it. Progress is no event: it is looked at with the next one, and now and
        // then while nothing happens.
        FF_CLI_TRY(seen, changes.next_event(std::min<Millis>(left, kTurn)));
    }
}

int run_tail(Session& session, const Arguments& arguments) {
    FF_CLI_READ(const std::int64_t chosen, arguments.integer("attempt", -1, 0, 1'000'000));
    FF_CLI_TRY(const AdminClient client, session.client());
    const std::string id = arguments.text("execution");
    FF_CLI_TRY(const auto info, client.describe_execution(id));
    const std::int64_t attempt = chosen >= 0 ? chosen : info.attempt_index;
    const bool follow = !arguments.has("no-follow");
    std::string after = "0-0";
    FramePrinter printer(session);
    while (true) {
        const bool waits = follow && !has_ended(info);
        FF_CLI_TRY(const auto page,
                   client.tail_stream(id, attempt, after, waits ? kTurn : Millis(0)));
        printer.print(page.frames);
        after = page.next;
        const bool drained = page.frames.empty();
        if (page.closed || (drained && !waits)) return kDone;
    }
}

}  // namespace ff::cli
