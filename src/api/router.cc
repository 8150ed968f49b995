#include "api/router.h"

#include "api/percent.h"
#include "base/assert.h"

namespace ff::api {
namespace {

bool is_parameter(std::string_view segment) {
    return segment.size() > 2 && segment.front() == '{' && segment.back() == '}';
}

/// Takes the first segment and its slash off the path.
std::string_view take_segment(std::string_view& rest) {
    rest.remove_prefix(1);
    const auto end = rest.find('/');
    const std::string_view segment = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end);
    return segment;
}

std::string_view method_of(std::string_view method) {
    return method == "HEAD" ? "GET" : method;
}

}  // namespace

struct Router::Node {
    std::map<std::string, std::unique_ptr<Node>, std::less<>> literals{};
    std::unique_ptr<Node> parameter{};
    std::map<std::string, const Route*, std::less<>> by_method{};
};

Router::Router(const Routes& routes) : root_(std::make_unique<Node>()) {
    for (const Route& route : routes.all()) {
        Node* node = root_.get();
        std::string_view rest = route.pattern;
        FF_ASSERT(rest.starts_with('/'));
        while (!rest.empty()) {
            const std::string_view segment = take_segment(rest);
            auto& next =
                is_parameter(segment) ? node->parameter : node->literals[std::string(segment)];
            if (!next) next = std::make_unique<Node>();
            node = next.get();
        }
        const bool added = node->by_method.emplace(route.method, &route).second;
        FF_ASSERT(added);
    }
}

Router::~Router() = default;

const Router::Node* Router::walk(const Node& node, std::string_view rest,
                                 std::vector<std::string_view>& values) {
    if (rest.empty()) return node.by_method.empty() ? nullptr : &node;
    const std::string_view segment = take_segment(rest);
    const auto literal = node.literals.find(segment);
    if (literal != node.literals.end()) {
        const Node* found = walk(*literal->second, rest, values);
        if (found != nullptr) return found;
    }
    if (!node.parameter || segment.empty()) return nullptr;
    values.push_back(segment);
    const Node* found = walk(*node.parameter, rest, values);
    if (found == nullptr) values.pop_back();
    return found;
}

void Router::bind(const Route& route, const std::vector<std::string_view>& values, Match& match) {
    std::string_view rest = route.pattern;
    std::size_t index = 0;
    while (!rest.empty()) {
        const std::string_view segment = take_segment(rest);
        if (!is_parameter(segment)) continue;
        auto value = percent_decode(values.at(index++));
        match.malformed = match.malformed || !value;
        match.parameters.emplace(segment.substr(1, segment.size() - 2),
                                 std::move(value).value_or(""));
    }
}

Router::Match Router::find(std::string_view method, std::string_view path) const {
    Match match;
    if (!path.starts_with('/')) return match;
    std::vector<std::string_view> values;
    const Node* node = walk(*root_, path, values);
    if (node == nullptr) return match;
    const auto found = node->by_method.find(method_of(method));
    if (found == node->by_method.end()) {
        for (const auto& [name, route] : node->by_method)
            match.allowed += (match.allowed.empty() ? "" : ", ") + name;
        if (node->by_method.contains("GET")) match.allowed += ", HEAD";
        return match;
    }
    match.route = found->second;
    bind(*match.route, values, match);
    return match;
}

}  // namespace ff::api
