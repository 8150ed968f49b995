#pragma once

#include <set>
#include <string>

#include "service/graph_document.h"

namespace ff::service {

/// What a flow holds already that an expansion may refer to or collide with.
struct KnownMembers {
    std::set<std::string> names{};
    /// Ids as text.
    std::set<std::string> ids{};
    /// Not known: whoever decides later finds out. Then no name or id is called unknown.
    bool unread = false;
};

/// Whether the nodes fit together: names, dependencies, data, joins, sizes, cycles. Notes every
/// problem it finds.
void check_graph(const GraphDocument& graph, const KnownMembers& known, GraphProblems& problems);

/// The names and ids that the nodes refer to and the graph itself does not have, and its own names.
KnownMembers referred_members(const GraphDocument& graph);

}  // namespace ff::service
