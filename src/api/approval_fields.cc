#include "api/approval_fields.h"

#include <utility>

namespace ff::api {
namespace {

constexpr std::string_view kMember = "approval";
// As the functions have it (chapter 03 section 1.1).
constexpr TextLimits kPrompt{.most = 4096};
constexpr TextLimits kAssignee{.least = 1, .most = 256};
constexpr std::size_t kAssigneesMost = 64;
constexpr TextLimits kContextType{.least = 1, .most = 128};

std::string list_text(const std::vector<std::string>& texts) {
    std::string out;
    if (texts.empty()) return out;
    json::Writer writer(out);
    writer.begin_array();
    for (const std::string& text : texts) writer.string(text);
    writer.end_array();
    return out;
}

/// What a media type cannot be never reaches a header or a page.
bool is_media_type(std::string_view text) {
    for (const char c : text)
        if (c < ' ' || c > '~') return false;
    return text.find('/') != std::string_view::npos;
}

/// Of a caller of the functions who is not this room it may be no JSON.
void write_json(json::Writer& out, std::string_view name, const std::string& text) {
    const Result<json::Document> document = json::Document::parse(text);
    if (document.has_value()) out.key(name).raw(document->root().to_text());
}

}  // namespace

Result<std::optional<engine::ApprovalRequest>> parse_approval(const Fields& body) {
    FF_TRY(const std::optional<Fields> given, body.fields_if(kMember));
    if (!given) return std::optional<engine::ApprovalRequest>();
    FF_CHECK(given->only(
        {"prompt", "assignees", "form", "context", "context_base64", "context_type", "due_at"}));
    engine::ApprovalRequest request;
    FF_TRY(request.prompt, given->text_or("prompt", "", kPrompt));
    FF_TRY(const std::vector<std::string> assignees,
           given->texts("assignees", {.most = kAssigneesMost}, kAssignee));
    request.assignees_json = list_text(assignees);
    FF_TRY(auto form, given->object_text_if("form"));
    request.form_json = std::move(form).value_or("");
    FF_TRY(auto context, given->bytes_if("context"));
    request.context = std::move(context).value_or("");
    FF_TRY(auto type, given->text_if("context_type", kContextType));
    if (type && !is_media_type(*type)) return given->refuse("context_type", "no_media_type");
    request.context_type = std::move(type).value_or("");
    FF_TRY(request.due_at, given->due_if("due_at"));
    return std::optional(std::move(request));
}

void write_approval(json::Writer& out, const std::optional<hub::Question>& question) {
    if (!question) return;
    out.key(kMember).begin_object();
    if (!question->prompt.empty()) write_bytes(out, "prompt", question->prompt);
    write_json(out, "assignees", question->assignees_json);
    write_json(out, "form", question->form_json);
    if (!question->context.empty()) write_bytes(out, "context", question->context);
    if (!question->context_type.empty()) write_bytes(out, "context_type", question->context_type);
    if (question->due_at) out.key("due_at").integer(to_ms(*question->due_at));
    out.end_object();
}

FieldDoc doc_approval() {
    return {.name = std::string(kMember),
            .kind = FieldDoc::Kind::Object,
            .type = "NewApproval",
            .about =
                "What a person needs to answer: prompt, assignees, form (JSON schema of the "
                "answer), context or context_base64, context_type, due_at",
            .example = R"({"prompt":"Refund 120 EUR?","due_at":"+86400000"})"};
}

}  // namespace ff::api
