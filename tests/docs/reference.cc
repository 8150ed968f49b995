#include "docs/reference.h"

#include <algorithm>
#include <map>
#include <vector>

#include "app/setting_table.h"
#include "model/error_catalogue.h"

namespace ff::testing {
namespace {

/// A table's cell: bars would end it.
std::string cell(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '|') out += '\\';
        out += c;
    }
    return out;
}

std::string quoted(std::string_view text) {
    return text.empty() ? "" : "`" + cell(text) + "`";
}

std::string_view advice(ErrorClass cls) {
    switch (cls) {
        case ErrorClass::Terminal:
            return "stop, do not repeat";
        case ErrorClass::Retryable:
            return "repeat after a pause";
        case ErrorClass::Cooperative:
            return "take the named action, then stop";
        case ErrorClass::Informational:
            return "nothing to do";
        case ErrorClass::Expected:
            return "a normal empty state";
        case ErrorClass::SoftError:
            return "log, go on";
        case ErrorClass::Bug:
            return "alert";
    }
    return "";
}

}  // namespace

std::string configuration_reference() {
    std::string out =
        "# Configuration\n\n"
        "Every setting is a variable of the environment and a flag of `flowfabric server`; the "
        "flag "
        "wins. A value that is\npresent and wrong stops the boot with a message that names it. "
        "Booleans take `1 true yes on` and `0 false no off`.\nThis page is generated from the "
        "code; a test compares.\n\n"
        "| Variable | Flag | Default | Rule | Meaning |\n|---|---|---|---|---|\n";
    for (const app::Setting& setting : app::setting_table())
        out += "| " + quoted(setting.name) + " | " + quoted(setting.flag()) + " | " +
               quoted(setting.otherwise) + " | " + cell(setting.rule) + " | " +
               cell(setting.about) + " |\n";
    return out;
}

std::string error_reference() {
    std::string out =
        "# Errors\n\n"
        "Every refusal has the body `{\"message\", \"error\", \"code\", \"class\", \"kind\", "
        "\"retryable\", \"detail\", \"fields\"}`. Programs look at\n`code` and `class`; "
        "`retryable` is true exactly for the class of that name; `fields` has the details by name. "
        "`message` is a\nsentence for people, and `error` the same under its older name. The SDK "
        "adds `config` (a mistake in the program), `http` (no\nanswer came) and "
        "`malformed_response`. This page is generated from the code; a test compares.\n";
    std::map<ErrorClass, std::vector<model::ErrorInfo>> classes;
    for (const model::ErrorInfo& info : model::error_catalogue()) classes[info.cls].push_back(info);
    for (auto& [cls, codes] : classes) {
        std::sort(codes.begin(), codes.end(),
                  [](const auto& a, const auto& b) { return a.code < b.code; });
        out += "\n## " + std::string(to_string(cls)) + ": " + std::string(advice(cls)) +
               "\n\n| Code | Status |\n|---|---|\n";
        for (const model::ErrorInfo& info : codes)
            out += "| " + quoted(info.code) + " | " + std::to_string(info.http_status) + " |\n";
    }
    return out;
}

}  // namespace ff::testing
