#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace ff::api {

// The named objects of the API are written down in a notation of one line for each member. The
// tests hold every answer to it, so a line that is wrong or missing is found.
//
//     Execution: What is known about an execution
//       execution_id  string
//       started_at?   time              When the first attempt began
//       ...Place                        The members of another object; `...Place?` makes all
//       optional
//     LaneState = active|paused|draining|disabled
//
// A type is `string`, `integer`, `number`, `boolean`, `any`, `bytes` (a text member or its twin
// `<name>_base64`), `time` (milliseconds since 1970), `due` (a time, or text "+<ms>" from now), the
// name of an object or enum, `[T]` (array), `{T}` (map), `a|b` (enum), `=a` (that text) or `T,U`
// (one of them). A `?` behind the type allows null. A `+` behind the name of an object allows
// members that no line has.

struct SchemaMember {
    std::string name{};
    std::string type{};
    std::string about{};
    bool required = true;
    /// JSON text of an example, or empty.
    std::string example{};
};

struct SchemaObject {
    std::string name{};
    std::string about{};
    std::vector<SchemaMember> members{};
    /// Of an enum.
    std::vector<std::string> values{};
    bool is_open = false;
    /// There only for others to take its members.
    bool is_part = false;
};

using SchemaObjects = std::map<std::string, SchemaObject>;

/// Reads the notation into `objects`. A line that is not of the notation, and an object of which
/// members are taken before it stands there, is a mistake of ours.
void read_schemas(std::string_view text, SchemaObjects& objects);

/// All named objects.
SchemaObjects all_schemas();

/// The texts that `all_schemas` reads, by subject.
std::string_view common_schemas();
std::string_view execution_schemas();
std::string_view flow_schemas();
std::string_view limit_schemas();
std::string_view request_schemas();
std::string_view stream_schemas();
std::string_view suspension_schemas();
std::string_view work_schemas();

/// The JSON schema of a type.
void write_type(json::Writer& out, std::string_view type, std::string_view about = {},
                std::string_view example = {});

/// The JSON schema of an object or enum.
void write_object(json::Writer& out, const SchemaObject& object);

}  // namespace ff::api
