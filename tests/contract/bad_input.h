#pragma once

#include <functional>
#include <string>
#include <vector>

#include "contract/host.h"

namespace ff::contract {

/// A call that its function grants.
struct GoodCall {
    List keys{};
    List args{};
};

/// How to make one: prepares the store under a fresh hash tag.
struct BadInputRow {
    std::string function{};
    std::function<GoodCall(Host& host, const std::string& tag)> prepare{};
    /// What is granted is answered by a verdict instead of {1,...}.
    bool bare = false;
    /// End of the name of a key that a refusal may change: a failed token check is stamped.
    std::string stamped{};
};

/// One list per chapter; a chapter that adds functions adds rows here and in `all_bad_input_rows`.
std::vector<BadInputRow> execution_rows();
std::vector<BadInputRow> admission_rows();
std::vector<BadInputRow> suspension_rows();
std::vector<BadInputRow> stream_rows();
std::vector<BadInputRow> flow_rows();

std::vector<BadInputRow> all_bad_input_rows();

}  // namespace ff::contract
