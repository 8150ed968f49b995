#include "api/json_response.h"

namespace ff::api {

http::Response json_response(unsigned status, const std::function<void(json::Writer&)>& fill) {
    http::Response response{.status = status};
    json::Writer writer(response.body);
    writer.begin_object();
    fill(writer);
    writer.end_object();
    return response;
}

}  // namespace ff::api
