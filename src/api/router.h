#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "api/route.h"

namespace ff::api {

/// Finds the route of a request. A literal segment wins over a parameter; a segment is decoded
/// after the path was split, so that a parameter may hold an encoded slash.
class Router {
  public:
    /// Takes the table as it is now; it outlives the router. Two routes of the same method and
    /// shape are our mistake.
    explicit Router(const Routes& routes);
    ~Router();

    struct Match {
        /// Null when no route has that path and method.
        const Route* route = nullptr;
        /// Values of the pattern's parameters, decoded.
        std::map<std::string, std::string> parameters{};
        /// Methods of the path, where the method is what did not match: `GET, HEAD, PUT`.
        std::string allowed{};
        /// A parameter holds a broken escape.
        bool malformed = false;
    };
    /// HEAD finds what GET would.
    Match find(std::string_view method, std::string_view path) const;

  private:
    struct Node;
    static const Node* walk(const Node& node, std::string_view rest,
                            std::vector<std::string_view>& values);
    static void bind(const Route& route, const std::vector<std::string_view>& values, Match& match);

    std::unique_ptr<Node> root_;
};

}  // namespace ff::api
