#include "cli/command_table.h"

#include "cli/commands.h"

namespace ff::cli {
namespace {

// The public states, as listings show them, then the indexes of a lane for those who know them.
constexpr std::string_view kStates =
    "waiting,active,delayed,suspended,waiting_children,rate_limited,completed,failed,cancelled,"
    "expired,skipped,eligible,terminal,blocked_dependencies,blocked_budget,blocked_quota,"
    "blocked_route,blocked_operator";

const Positional kExecution{.name = "execution", .about = "Id of the execution"};
const Positional kFlow{.name = "flow", .about = "Id of the flow"};

std::vector<CommandSpec> execution_commands() {
    return {
        {.name = "submit",
         .about = "Create an execution",
         .positionals = {{.name = "kind", .about = "Which handler runs it"}},
         .options = {{.name = "payload", .value = "TEXT", .about = "The payload itself"},
                     {.name = "file", .value = "FILE", .about = "The payload's file, - for stdin"},
                     {.name = "lane", .value = "LANE", .about = "Lane; default: default"},
                     {.name = "namespace", .value = "NAME", .about = "Namespace; default: default"},
                     {.name = "priority", .value = "N", .about = "0 to 9000, larger first"},
                     {.name = "idempotency-key", .value = "KEY", .about = "Create it only once"},
                     {.name = "tag", .value = "KEY=VALUE", .about = "A tag", .many = true},
                     {.name = "policy", .value = "JSON", .about = "Retries, timeouts, budgets"},
                     {.name = "delay-ms", .value = "MS", .about = "Start no earlier"},
                     {.name = "wait", .about = "Wait for its end and print the result"},
                     {.name = "follow", .about = "Print its output live, then the result"}},
         .run = run_submit},
        {.name = "get",
         .about = "Show an execution",
         .positionals = {kExecution},
         .options = {{.name = "explain", .about = "Also why it is not running"},
                     {.name = "steps", .about = "Also the steps it has recorded"},
                     {.name = "result", .about = "Print the bytes of its result"}},
         .run = run_get},
        {.name = "explain",
         .about = "Say why an execution is not running",
         .positionals = {kExecution},
         .run = run_explain},
        {.name = "list",
         .about = "List executions, newest first",
         .options = {{.name = "state",
                      .value = "STATE",
                      .about = "In this state, such as waiting or failed",
                      .choices = kStates},
                     {.name = "lane", .value = "LANE", .about = "Of this lane"},
                     {.name = "namespace", .value = "NAME", .about = "Of this namespace"},
                     {.name = "tag",
                      .value = "KEY=VALUE",
                      .about = "With this tag, in a namespace, in no order"},
                     {.name = "limit", .value = "N", .about = "At most; default 50"},
                     {.name = "cursor", .value = "TEXT", .about = "Go on after a page"}},
         .run = run_list},
    };
}

std::vector<CommandSpec> running_commands() {
    return {
        {.name = "watch",
         .about = "Follow the states of an execution until it ends",
         .positionals = {kExecution},
         .options = {{.name = "timeout-ms", .value = "MS", .about = "Give up; default: never"}},
         .run = run_watch},
        {.name = "tail",
         .about = "Follow the output of an execution until it ends",
         .positionals = {kExecution},
         .options = {{.name = "attempt", .value = "N", .about = "Default: the current one"},
                     {.name = "no-follow", .about = "Only what is there"}},
         .run = run_tail},
        {.name = "cancel",
         .about = "Cancel an execution",
         .positionals = {kExecution},
         .options = {{.name = "reason", .value = "TEXT", .about = "Why"}},
         .run = run_cancel},
        {.name = "retry",
         .about = "Run an execution that has ended again",
         .positionals = {kExecution},
         .options = {{.name = "reason", .value = "TEXT", .about = "Why"},
                     {.name = "subgraph",
                      .about = "With everything in its flow that depended on it"}},
         .run = run_retry},
        {.name = "signal",
         .about = "Send a signal to a suspended execution",
         .positionals = {kExecution, {.name = "name", .about = "Name of the signal"}},
         .options = {{.name = "waitpoint", .value = "ID", .about = "Default: the only open one"},
                     {.name = "waitpoint-token",
                      .value = "TOKEN",
                      .about = "The signed token; read from the server if it is not given"},
                     {.name = "payload", .value = "TEXT", .about = "Payload of the signal"}},
         .run = run_signal},
        {.name = "approve",
         .about = "Approve what a suspended execution asks for",
         .positionals = {kExecution},
         .options = {{.name = "waitpoint", .value = "ID", .about = "Default: the only open one"},
                     {.name = "name", .value = "SIGNAL", .about = "Default: the one it waits for"},
                     {.name = "actor", .value = "NAME", .about = "Who approves; default: $USER"},
                     {.name = "link",
                      .about = "Approve nothing: print an address at which somebody can answer"},
                     {.name = "for", .value = "NAME", .about = "Whom the link is for"},
                     {.name = "expires-ms",
                      .value = "MS",
                      .about = "How long the link works; default: 7 days"},
                     {.name = "revoke-links", .about = "Withdraw all links of the waitpoint"}},
         .run = run_approve},
    };
}

std::vector<CommandSpec> flow_commands() {
    return {
        {.name = "flow submit",
         .about = "Submit a graph of executions",
         .positionals = {{.name = "file", .about = "JSON document, - for stdin"}},
         .run = run_flow_submit},
        {.name = "flow show",
         .about = "Draw a flow with the states of its nodes",
         .positionals = {kFlow},
         .run = run_flow_show},
        {.name = "flow list",
         .about = "Show flows",
         .options = {{.name = "namespace", .value = "NAME", .about = "Only of this namespace"},
                     {.name = "tag", .value = "KEY=VALUE", .about = "Only with this tag"},
                     {.name = "state", .value = "STATE", .about = "Only in this state"},
                     {.name = "limit", .value = "N", .about = "At most; default 50"},
                     {.name = "cursor", .value = "TEXT", .about = "Go on after a page"}},
         .run = run_flow_list},
        {.name = "flow cancel",
         .about = "Cancel a flow and its members",
         .positionals = {kFlow},
         .options = {{.name = "reason", .value = "TEXT", .about = "Why"},
                     {.name = "wait-ms", .value = "MS", .about = "Wait for the members to end"}},
         .run = run_flow_cancel},
    };
}

std::vector<CommandSpec> limit_commands() {
    return {
        {.name = "budget create",
         .about = "Create a budget",
         .options = {{.name = "hard", .value = "DIM=N", .about = "Hard limit", .many = true},
                     {.name = "soft", .value = "DIM=N", .about = "Soft limit", .many = true},
                     {.name = "scope", .value = "TYPE:ID", .about = "What it is for"},
                     {.name = "reset-ms", .value = "MS", .about = "Start anew this often"},
                     {.name = "attach", .about = "It governs everything in its scope"}},
         .run = run_budget_create},
        {.name = "budget list",
         .about = "Show budgets and what of them is used",
         .options = {{.name = "limit", .value = "N", .about = "At most; default 50"},
                     {.name = "cursor", .value = "TEXT", .about = "Go on after a page"}},
         .run = run_budget_list},
        {.name = "budget show",
         .about = "Show limits and usage of a budget",
         .positionals = {{.name = "budget", .about = "Id of the budget"}},
         .run = run_budget_show},
        {.name = "budget reset",
         .about = "Start the usage of a budget anew",
         .positionals = {{.name = "budget", .about = "Id of the budget"}},
         .run = run_budget_reset},
        {.name = "quota create",
         .about = "Create a quota",
         .options = {{.name = "rate", .value = "N", .about = "At most so many starts a window"},
                     {.name = "window-s", .value = "S", .about = "The window; default 60"},
                     {.name = "concurrent", .value = "N", .about = "At most so many at a time"},
                     {.name = "scope", .value = "TYPE:ID", .about = "What it is for"},
                     {.name = "attach", .about = "It governs everything in its scope"}},
         .run = run_quota_create},
        {.name = "quota list",
         .about = "Show quotas and what of them is taken",
         .options = {{.name = "limit", .value = "N", .about = "At most; default 50"},
                     {.name = "cursor", .value = "TEXT", .about = "Go on after a page"}},
         .run = run_quota_list},
        {.name = "quota show",
         .about = "Show a quota",
         .positionals = {{.name = "quota", .about = "Id of the quota"}},
         .run = run_quota_show},
    };
}

std::vector<CommandSpec> data_commands() {
    return {
        {.name = "backup",
         .about = "Copy the data of an embedded store into a new folder",
         .positionals = {{.name = "folder", .about = "New, below the server's FF_BACKUP_DIR"}},
         .options = {{.name = "data-dir",
                      .value = "DIR",
                      .about = "The data folder of a stopped server, instead of a running one"}},
         .run = run_backup},
        {.name = "verify",
         .about = "Check all data of a stopped server or of a backup, without changing it",
         .positionals = {{.name = "data-dir", .about = "The data folder"}},
         .run = run_verify},
        {.name = "repair",
         .about = "Show what is damaged in the data of a stopped server and what a repair loses",
         .positionals = {{.name = "data-dir", .about = "The data folder"}},
         .options = {{.name = "dry-run", .about = "Change nothing, as without --yes"},
                     {.name = "yes", .about = "Do it; damaged files are kept beside the others"},
                     {.name = "apply", .about = "As --yes"}},
         .run = run_repair},
    };
}

std::vector<CommandSpec> operator_commands() {
    return {
        {.name = "lanes list",
         .about = "Show lanes, their states and counts",
         .run = run_lanes_list},
        {.name = "lanes set",
         .about = "Change a lane",
         .positionals = {{.name = "lane", .about = "Name of the lane"}},
         .options = {{.name = "state",
                      .value = "STATE",
                      .about = "What it lets through",
                      .choices = "active,paused,draining,disabled"},
                     {.name = "weight", .value = "N", .about = "Its share among lanes"},
                     {.name = "policy", .value = "JSON", .about = "Default of its executions"}},
         .run = run_lanes_set},
        {.name = "workers",
         .about = "Show live workers",
         .options = {{.name = "namespace", .value = "NAME", .about = "Default: all"},
                     {.name = "cursor", .value = "TEXT", .about = "Go on after a page"}},
         .run = run_workers},
        {.name = "bench",
         .about = "Measure a running server with no-op tasks",
         .options = {{.name = "tasks", .value = "N", .about = "Default 1000"},
                     {.name = "workers", .value = "N", .about = "Tasks at a time; default 16"},
                     {.name = "bytes", .value = "N", .about = "Payload; default 4096"}},
         .run = run_bench},
        {.name = "doctor",
         .about = "Check server, store, library, partitions and secrets",
         .options = {{.name = "write",
                      .about = "Also clocks and indexes, by an execution that it removes again"}},
         .run = run_doctor},
        {.name = "server",
         .about = "Serve the HTTP API (see server --help)",
         .run = run_server,
         .raw = true},
        {.name = "dev",
         .about = "Serve for trying things out, in memory unless a folder is given",
         .options = {{.name = "listen", .value = "ADDR", .about = "Default 127.0.0.1:9090"},
                     {.name = "data-dir", .value = "DIR", .about = "Keep the data there"}},
         .run = run_dev},
        {.name = "console",
         .about = "Print the address of the web console, and open it in a browser if there is one",
         .run = run_console},
        {.name = "demo",
         .about = "Show a flow with fan-out, budget, approval and a worker that is killed",
         .options = {{.name = "yes", .about = "Approve without asking"}},
         .run = run_demo},
        {.name = "demo-worker",
         .about = "A worker of the demo",
         .options = {{.name = "instance", .value = "ID", .about = "Instance id"}},
         .run = run_demo_worker,
         .hidden = true},
        {.name = "completion",
         .about = "Print a completion script for a shell",
         .positionals = {{.name = "shell", .about = "bash or zsh", .choices = "bash,zsh"}},
         .run = run_completion},
        {.name = "version", .about = "Print the version", .run = run_version},
    };
}

std::vector<CommandSpec> all_commands() {
    std::vector<CommandSpec> all = execution_commands();
    for (auto& more : {running_commands(), flow_commands(), limit_commands(), data_commands(),
                       operator_commands()})
        all.insert(all.end(), more.begin(), more.end());
    return all;
}

}  // namespace

std::span<const CommandSpec> command_table() {
    static const std::vector<CommandSpec> table = all_commands();
    return table;
}

std::string_view group_about(std::string_view group) {
    if (group == "flow") return "Graphs of executions: submit, show, list, cancel";
    if (group == "budget") return "What may be spent: create, list, show, reset";
    if (group == "quota") return "How much may run: create, list, show";
    return "Queues that work waits in: list, set";
}

std::span<const Option> common_options() {
    static const std::vector<Option> options{
        {.name = "server",
         .value = "URL",
         .about = "http://, https:// or unix:/path; default: $FF_SERVER_URL or "
                  "http://127.0.0.1:9090"},
        {.name = "ca-file",
         .value = "FILE",
         .about = "Authorities of an https server; default: $FF_SERVER_CA_FILE or the system's"},
        {.name = "insecure", .about = "Believe any certificate"},
        {.name = "token", .value = "TOKEN", .about = "API token; default: $FF_API_TOKEN"},
        {.name = "json", .about = "Answers for programs: one JSON document"}};
    return options;
}

}  // namespace ff::cli
