#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract/suspension.h"

namespace ff::contract {

/// An edge as the functions take it.
struct EdgeArgs {
    std::string kind{};
    std::string ref{};
    std::string expected_revision{};
    std::string apply = "1";
    /// Empty: a new one.
    std::string id{};
};

struct GroupArgs {
    std::string variant = "all_of";
    std::string on_satisfied{};
    std::string k{};
    std::string expected_n{};
};

/// One flow. Calls the functions with the KEYS of chapter 05.
class Flow {
  public:
    Flow(Host& host, std::string tag, std::string id = new_uuid());

    const std::string& id() const { return id_; }
    /// `ff:flow:<tag>:<id>:<suffix>`.
    std::string key(std::string_view suffix) const;
    std::string index(std::string_view name) const;
    std::string core(std::string_view field) const;
    std::string edge(const std::string& edge_id, std::string_view field) const;
    std::string group(const Execution& child, std::string_view field) const;

    RespValue create(const List& more = {}) const;
    RespValue add(const Execution& e) const;
    /// Stages, and applies unless told otherwise; `edge_id()` then names it.
    RespValue stage(const Execution& up, const Execution& down, const EdgeArgs& args = {});
    RespValue apply(const Execution& up, const Execution& down, const EdgeArgs& args = {});
    RespValue set_group(const Execution& child, const GroupArgs& args) const;
    RespValue tags(const List& args) const;
    RespValue seal(std::string_view expected = "") const;
    RespValue submit(const std::string& plan, const List& payloads = {}) const;
    RespValue expand(const std::string& mutation, const std::string& plan,
                     std::string_view expected = "") const;
    RespValue resolve(const Execution& up, const Execution& child, std::string_view outcome,
                      std::string_view verify = "") const;
    RespValue cascade(const Execution& up, std::string_view edges_max = "",
                      std::string_view cursor = "") const;
    RespValue drain(const Execution& child, std::string_view cancels_max = "128") const;
    RespValue reconcile_siblings(const Execution& child) const;
    RespValue cancel(std::string_view policy = "cancel_all", std::string_view grace = "",
                     std::string_view reason = "stop") const;
    RespValue cancel_members(std::string_view members_max = "", std::string_view cursor = "") const;
    RespValue ack(const Execution& e) const;
    RespValue replay_subgraph(const Execution& e, std::string_view nodes_max = "") const;
    RespValue project(std::string_view cursor = "") const;
    RespValue purge(std::string_view retention_ms = "0", std::string_view deletes_max = "") const;

    /// The edge last staged or applied.
    const std::string& edge_id() const { return edge_id_; }

    // KEYS of some functions, for tests that change one of them.
    List submit_keys(const std::string& mutation) const;
    List resolve_keys(const Execution& up, const Execution& child) const;
    List apply_keys(const Execution& child) const;
    List stage_keys(const Execution& up, const Execution& down) const;

  private:
    Host* host_;
    std::string tag_;
    std::string id_;
    std::string edge_id_{};
};

/// Functions of one child.
RespValue reconcile_dependencies(Host& host, const Execution& e);
RespValue evaluate_eligibility(Host& host, const Execution& e);
RespValue promote_blocked(Host& host, const Execution& e);

/// A plan of ff_submit_flow, written node by node.
class Plan {
  public:
    Plan& flow(const std::string& json_members);
    /// Adds a node; `more` are further JSON members, such as `"join":{...}`.
    Plan& node(const Execution& e, const std::string& more = "");
    Plan& edge(const Execution& up, const Execution& down, const std::string& more = "");
    std::string json() const;

  private:
    std::string flow_{};
    std::string nodes_{};
    std::string edges_{};
};

/// A contract test about flows.
class FlowContract : public SuspensionContract {
  protected:
    Flow new_flow(const List& more = {}) const;
    /// The execution with this id.
    Execution known(const std::string& id) const;
    /// A member, created with these arguments.
    Execution member(const Flow& flow, const CreateArgs& args = {}) const;
    /// Claims and completes, or fails it for good.
    void succeed(Execution& e, std::string_view result = "out") const;
    void fail(Execution& e) const;
    std::string state(const Execution& e) const { return e.core("public_state"); }
};

}  // namespace ff::contract
