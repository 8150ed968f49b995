#pragma once

#include "cli/arguments.h"
#include "cli/session.h"

namespace ff::cli {

// One function per command; each returns the exit code.
int run_submit(Session& session, const Arguments& arguments);
int run_get(Session& session, const Arguments& arguments);
int run_explain(Session& session, const Arguments& arguments);
int run_list(Session& session, const Arguments& arguments);
int run_cancel(Session& session, const Arguments& arguments);
int run_retry(Session& session, const Arguments& arguments);
int run_watch(Session& session, const Arguments& arguments);
int run_tail(Session& session, const Arguments& arguments);
int run_signal(Session& session, const Arguments& arguments);
int run_approve(Session& session, const Arguments& arguments);
int run_flow_submit(Session& session, const Arguments& arguments);
int run_flow_list(Session& session, const Arguments& arguments);
int run_flow_show(Session& session, const Arguments& arguments);
int run_flow_cancel(Session& session, const Arguments& arguments);
int run_budget_create(Session& session, const Arguments& arguments);
int run_budget_list(Session& session, const Arguments& arguments);
int run_budget_show(Session& session, const Arguments& arguments);
int run_budget_reset(Session& session, const Arguments& arguments);
int run_quota_create(Session& session, const Arguments& arguments);
int run_quota_list(Session& session, const Arguments& arguments);
int run_quota_show(Session& session, const Arguments& arguments);
int run_lanes_list(Session& session, const Arguments& arguments);
int run_lanes_set(Session& session, const Arguments& arguments);
int run_workers(Session& session, const Arguments& arguments);
int run_backup(Session& session, const Arguments& arguments);
int run_bench(Session& session, const Arguments& arguments);
int run_verify(Session& session, const Arguments& arguments);
int run_repair(Session& session, const Arguments& arguments);
int run_doctor(Session& session, const Arguments& arguments);
int run_version(Session& session, const Arguments& arguments);
int run_server(Session& session, const Arguments& arguments);
int run_console(Session& session, const Arguments& arguments);
int run_dev(Session& session, const Arguments& arguments);
int run_demo(Session& session, const Arguments& arguments);
int run_demo_worker(Session& session, const Arguments& arguments);
int run_completion(Session& session, const Arguments& arguments);

}  // namespace ff::cli
