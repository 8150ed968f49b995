#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/call.h"
#include "base/task.h"
#include "http/message.h"

namespace ff::api {

/// How large a body may be; the sizes are settings.
enum class BodyClass : std::uint8_t {
    None,     // a body is read up to the control limit and ignored
    Control,  // 64 KiB
    Medium,   // 256 KiB
    Large,    // 1 MiB
    Frames,   // 2 MiB
    Bulk,     // 16 MiB
};

/// Which content a route takes beside JSON.
enum class Content : std::uint8_t { Json, JsonOrOctets };

/// A parameter of the query, a header, or a member of the body, for the description of the API.
struct FieldDoc {
    enum class Kind : std::uint8_t { String, Integer, Number, Boolean, Object, Array, Bytes };

    std::string name{};
    Kind kind = Kind::String;
    /// In the notation of `schema.h`; needed for arrays and objects, elsewhere the kind will do.
    std::string type{};
    bool required = false;
    std::string about{};
    /// JSON text of an example, or empty.
    std::string example{};
};

struct RouteDoc {
    /// What clients call the operation: `claimTasks`.
    std::string id{};
    std::string summary{};
    std::vector<FieldDoc> query{};
    std::vector<FieldDoc> body{};
    /// The body has names of its sender's choice, or the handler checks them.
    bool own_members = false;
    /// The type of a body that is no list of members, in the notation of `schema.h`.
    std::string body_type{};
    /// Members of the successful answer, or the type of it in the notation of `schema.h`; that of
    /// bytes is `octets`, of text `text`, and of a route that only streams `events`.
    std::vector<FieldDoc> answer{};
    std::string answer_type{};
    /// What a success may be, e.g. {200, 201}.
    std::vector<unsigned> statuses{200};
    /// Codes beyond those that every route can answer.
    std::vector<std::string> errors{};
};

/// `call` lives until the handler has returned, and a streamed body must not use it.
using RouteHandler = std::function<Task<http::Response>(Call& call)>;

struct Route {
    std::string method{};
    /// `/v1/executions/{id}/cancel`. The name says the parameter of Call::path.
    std::string pattern{};
    BodyClass body = BodyClass::None;
    Content content = Content::Json;
    /// Answered without an API token.
    bool open = false;
    /// The body holds a credential of its own: without an API token the caller is a guest, of whom
    /// few are let in at a time.
    bool own_credential = false;
    /// Answers with server-sent events, whose clients may not be able to set a header.
    bool streams = false;
    /// The name of what an operator does here (`execution.cancel`), which is then audited.
    std::string audit{};
    RouteDoc doc{};
    RouteHandler handle{};
};

/// The one table of routes: what is answered, what is described, what is measured.
class Routes {
  public:
    void add(Route route) { routes_.push_back(std::move(route)); }
    const std::vector<Route>& all() const { return routes_; }

  private:
    std::vector<Route> routes_{};
};

}  // namespace ff::api
