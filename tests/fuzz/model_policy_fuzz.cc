// Any bytes: a policy is refused with one of two codes and a detail, or is written and read back
// unchanged.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "model/execution_policy.h"
#include "model/policy_merge.h"

namespace {

using ff::model::ExecutionPolicy;

void require(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const ff::Result<ExecutionPolicy> policy = ExecutionPolicy::parse(text);
    const ff::Result<std::string> stored = ExecutionPolicy::stored_text(text);
    require(policy.has_value() == stored.has_value());
    if (!policy.has_value()) {
        const ff::Error& error = policy.error();
        require(error.code == "invalid_policy_json" || error.code == "invalid_capabilities");
        require(error.detail.size() == 1 && !error.detail[0].empty());
        return 0;
    }
    const std::string written = policy->to_json();
    const ff::Result<ExecutionPolicy> again = ExecutionPolicy::parse(written);
    require(again.has_value());
    require(*again == *policy);
    require(again->to_json() == written);
    require(ExecutionPolicy::parse(*stored).has_value());
    // Laid over itself it stays what it is.
    const ff::Result<std::string> merged = ff::model::merge_policies(written, written);
    require(merged.has_value());
    const ff::Result<ExecutionPolicy> same = ExecutionPolicy::parse(*merged);
    require(same.has_value() && *same == *policy);
    return 0;
}
