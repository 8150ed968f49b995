#include "service/policy_scope.h"

#include "model/error_catalogue.h"

namespace ff::service {

Result<model::PolicyScope> attachable_scope(model::PolicyScope given, std::string_view code) {
    if (given.type == "namespace") given.type = "tenant";
    if (given.type == "global") return model::PolicyScope{.type = "global", .id = "*"};
    if (given.type != "flow" && given.type != "lane" && given.type != "tenant") {
        return model::make_error(code, {"scope_type", given.type});
    }
    if (given.id.empty()) return model::make_error(code, {"scope_id"});
    return given;
}

}  // namespace ff::service
