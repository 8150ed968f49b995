#include "cli/steps.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/bytes.h"
#include "cli/words.h"

namespace ff::cli {

using flowfabric::Json;
using flowfabric::Step;

namespace {

constexpr std::size_t kShownMost = 60;

bool is_text(const std::string& value) {
    const auto is_control = [](char c) {
        return (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t') || c == '\x7f';
    };
    return is_utf8(value) && std::ranges::none_of(value, is_control);
}

/// In one line, whole characters only.
std::string shown(const std::string& value) {
    if (!is_text(value)) return "(bytes)";
    std::string text = value.substr(0, kShownMost);
    while (!is_utf8(text)) text.pop_back();
    for (char& c : text)
        if (c == '\n' || c == '\t') c = ' ';
    return text + (text.size() < value.size() ? "..." : "");
}

}  // namespace

flowfabric::Result<std::vector<Step>> read_all_steps(const flowfabric::AdminClient& client,
                                                     const std::string& id) {
    std::vector<Step> all;
    std::string after;
    do {
        flowfabric::Result<flowfabric::StepPage> page = client.read_steps(id, after);
        if (!page) return page.error();
        after = page->next_cursor;
        std::ranges::move(page->steps, std::back_inserter(all));
    } while (!after.empty());
    return all;
}

Json steps_json(const std::vector<Step>& steps) {
    Json list = Json::array();
    for (const Step& step : steps) {
        const bool text = is_utf8(step.value);
        Json one = Json::object(
            {{"name", step.name},
             {text ? "value" : "value_base64", text ? step.value : to_base64(step.value)},
             {"attempt_index", step.attempt_index},
             {"recorded_at", step.recorded_at}});
        if (!step.encoding.empty()) one.set("encoding", step.encoding);
        list.push(std::move(one));
    }
    return list;
}

void print_steps(const Session& session, const std::vector<Step>& steps) {
    if (steps.empty()) {
        session.line("no steps are recorded");
        return;
    }
    Table table({"STEP", "ENCODING", "BYTES", "ATTEMPT", "RECORDED", "VALUE"});
    for (const Step& step : steps)
        table.row({step.name, step.encoding.empty() ? "-" : step.encoding,
                   std::to_string(step.value.size()), std::to_string(step.attempt_index),
                   time_text(step.recorded_at), shown(step.value)});
    session.print(table);
}

}  // namespace ff::cli
