#pragma once

#include <string>

#include "model/ids.h"
#include "model/key_text.h"

namespace ff::model {

/// Names of the worker registry of one namespace. The namespace in braces is their hash tag, so
/// that a registration touches one slot; the instance stands in braces of its own.
class WorkerRegistryKeys {
  public:
    explicit WorkerRegistryKeys(const Namespace& ns);

    /// `{<namespace>}`.
    const std::string& tag() const { return tag_; }

    std::string alive(const WorkerInstanceId& worker) const;
    std::string caps(const WorkerInstanceId& worker) const;
    std::string events() const;
    std::string workers() const;
    std::string noop() const { return noop_key(tag_); }

  private:
    std::string of_worker(const WorkerInstanceId& worker, std::string_view suffix) const;

    std::string tag_;
};

/// Names of a worker with direct store access: its duplicate guard and what it can do. These have
/// no tag, so each is used in commands of its own.
class DirectWorkerKeys {
  public:
    explicit DirectWorkerKeys(const WorkerInstanceId& worker);

    /// A reserved name; nothing reads or writes it.
    std::string reserved() const { return prefix_; }
    std::string alive() const;
    std::string caps() const;

  private:
    std::string prefix_;
};

/// All workers with direct store access.
std::string direct_workers_key();
/// A reserved name; nothing reads or writes it.
std::string direct_workers_by_capability_key(std::string_view key, std::string_view value);

}  // namespace ff::model
