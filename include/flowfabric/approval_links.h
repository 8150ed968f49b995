#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "flowfabric/result.h"
#include "flowfabric/steps.h"

namespace ff::sdk {
class Door;
}

namespace flowfabric {

struct NewApprovalLink {
    /// Whom it is for; the signal of the answer says so.
    std::string label{};
    /// 0: 7 days.
    Millis expires_in{0};
};

/// An address at which somebody without an account answers once.
struct ApprovalLink {
    std::string link_id{};
    std::string url{};
    std::int64_t expires_at = 0;
};

/// The links at which people answer at a waitpoint.
class ApprovalLinks {
  public:
    ApprovalLinks(std::shared_ptr<ff::sdk::Door> door, std::string id, std::string waitpoint)
        : door_(std::move(door)), id_(std::move(id)), waitpoint_(std::move(waitpoint)) {}

    Result<ApprovalLink> create(const NewApprovalLink& link = {}) const;
    /// All of them, or the one of that id; how many it ended.
    Result<std::int64_t> revoke(const std::string& link_id = {}) const;

  private:
    std::shared_ptr<ff::sdk::Door> door_;
    std::string id_;
    std::string waitpoint_;
};

}  // namespace flowfabric
