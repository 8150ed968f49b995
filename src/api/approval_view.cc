#include "api/approval_view.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>

#include "api/html.h"
#include "api/page_style.h"
#include "base/bytes.h"
#include "base/json.h"

namespace ff::api {
namespace {

/// A first line up to this long makes a heading.
constexpr std::size_t kHeadingMost = 160;

/// `Thursday, 19 November 2026, 14:03 UTC`.
std::string moment(Timestamp at) {
    const std::time_t seconds = static_cast<std::time_t>(to_ms(at) / 1000);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    std::array<char, 64> text{};
    const std::size_t size =
        std::strftime(text.data(), text.size(), "%A, %-d %B %Y, %H:%M UTC", &parts);
    return {text.data(), size};
}

/// `in 3 hours`, `2 days ago`.
std::string distance(Timestamp at, Timestamp now) {
    const bool past = at < now;
    const std::int64_t minutes = (past ? to_ms(now) - to_ms(at) : to_ms(at) - to_ms(now)) / 60'000;
    if (minutes < 1) return past ? "just now" : "in less than a minute";
    const auto said = [past](std::int64_t count, std::string_view unit) {
        const std::string span =
            std::to_string(count) + " " + std::string(unit) + (count == 1 ? "" : "s");
        return past ? span + " ago" : "in " + span;
    };
    if (minutes < 120) return said(minutes, "minute");
    if (minutes < 48 * 60) return said(minutes / 60, "hour");
    return said(minutes / (24 * 60), "day");
}

http::Response page_of(unsigned status, std::string_view title, const std::string& body,
                       std::string_view foot) {
    http::Response response{.status = status, .content_type = "text/html; charset=utf-8"};
    HtmlWriter out(response.body);
    out.raw(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
        "<meta name=\"color-scheme\" content=\"light dark\">"
        "<meta name=\"robots\" content=\"noindex, nofollow\">");
    out.element("title", title);
    out.raw("<style>").raw(page_style()).raw("</style></head><body><main>").raw(body);
    out.raw("</main>");
    if (!foot.empty()) out.raw("<footer>").text(foot).raw("</footer>");
    out.raw("</body></html>\n");
    secure_page(response);
    return response;
}

void write_time(HtmlWriter& out, Timestamp at, Timestamp now) {
    out.text(moment(at) + " (" + distance(at, now) + ")");
}

/// The first line as heading, where it can be one; the rest below.
void write_prompt(HtmlWriter& out, const std::string& prompt) {
    const auto end = prompt.find('\n');
    const std::string first = prompt.substr(0, end);
    const bool fits = !first.empty() && first.size() <= kHeadingMost;
    const std::string heading = fits ? first : "Your answer is asked for";
    const std::string rest = !fits                      ? prompt
                             : end == std::string::npos ? std::string()
                                                        : prompt.substr(end + 1);
    out.element("h1 dir=\"auto\"", heading);
    if (rest.find_first_not_of(" \r\n\t") != std::string::npos)
        out.element("p class=\"prompt\" dir=\"auto\"", rest);
}

/// The list as people read it: `ann, finance`.
std::string names_of(const std::string& assignees_json) {
    std::string names;
    const auto document = json::Document::parse(assignees_json);
    if (!document.has_value() || !document->root().is_array()) return names;
    const json::Value list = document->root();
    for (std::size_t i = 0; i < list.size(); ++i) {
        const auto name = list.element(i).as_string();
        if (name) names += (names.empty() ? "" : ", ") + std::string(*name);
    }
    return names;
}

void write_facts(HtmlWriter& out, const AskingPage& page) {
    const std::string asked =
        page.view.question ? names_of(page.view.question->assignees_json) : std::string();
    out.raw("<dl>");
    if (!page.view.link.label.empty())
        out.raw("<dt>For</dt>").element("dd dir=\"auto\"", page.view.link.label);
    if (!asked.empty()) out.raw("<dt>Asked</dt>").element("dd dir=\"auto\"", asked);
    if (page.view.question && page.view.question->due_at) {
        const Timestamp due = *page.view.question->due_at;
        out.raw(due < page.now ? "<dt>Answer by</dt><dd class=\"late\">"
                               : "<dt>Answer by</dt><dd>");
        write_time(out, due, page.now);
        out.raw("</dd>");
    }
    out.raw("<dt>Link until</dt><dd>");
    write_time(out, page.view.link.expires_at, page.now);
    out.raw("</dd></dl>");
}

std::string size_text(std::size_t bytes) {
    if (bytes < 1024) return std::to_string(bytes) + " bytes";
    return std::to_string((bytes + 512) / 1024) + " KiB";
}

void write_context(HtmlWriter& out, const AskingPage& page) {
    if (!page.view.question || page.view.question->context.empty()) return;
    const hub::Question& question = *page.view.question;
    out.raw("<h2 id=\"context\">What it is about</h2>");
    if (is_readable(question)) {
        out.raw("<pre tabindex=\"0\" role=\"region\" aria-labelledby=\"context\" dir=\"auto\">\n");
        out.text(question.context).raw("</pre>");
        return;
    }
    const std::string type = question.context_type.empty() ? "bytes" : question.context_type;
    out.raw("<p><a").attribute("href", page.context_path).raw(" download>Download</a> ");
    out.text("(" + type + ", " + size_text(question.context.size()) + ")").raw("</p>");
}

void write_notice(HtmlWriter& out, const AskingPage& page) {
    if (page.notice.empty()) return;
    out.raw("<div class=\"notice\" role=\"alert\">").element("p", page.notice).raw("</div>");
}

void write_comment(HtmlWriter& out, const AskingPage& page) {
    if (page.form.asks_for(kCommentInput)) return;
    out.raw(
        "<div class=\"field\"><label for=\"comment\">Comment <span>if you like</span></label>"
        "<textarea id=\"comment\" name=\"comment\" rows=\"3\"");
    out.attribute("maxlength", std::to_string(kCommentMost)).raw(">\n");
    if (page.sent != nullptr) {
        const auto said = page.sent->find(std::string(kCommentInput));
        if (said != page.sent->end()) out.text(said->second);
    }
    out.raw("</textarea></div>");
}

/// The first button is what the Enter key presses: one that does nothing, so that nobody answers by
/// accident.
void write_form(HtmlWriter& out, const AskingPage& page) {
    out.raw(
        "<form method=\"post\" accept-charset=\"utf-8\">"
        "<button type=\"submit\" disabled hidden>Enter does not answer</button>"
        "<h2>Your answer</h2><input type=\"hidden\" name=\"page\"");
    out.attribute("value", page.token).raw(">");
    page.form.write(out, page.sent, page.problems);
    write_comment(out, page);
    out.raw("<div class=\"answers\">");
    if (!page.names.approve.empty())
        out.raw(
            "<button class=\"yes\" type=\"submit\" name=\"answer\" value=\"approved\">"
            "Approve</button>");
    if (!page.names.reject.empty())
        out.raw(
            "<button type=\"submit\" name=\"answer\" value=\"rejected\" formnovalidate>"
            "Reject</button>");
    out.raw("</div></form>");
}

/// The members of what came with the answer, as people read them.
void write_said(HtmlWriter& out, const service::ApprovalLinkView& view) {
    const auto document = json::Document::parse(view.payload);
    if (!document.has_value() || !document->root().is_object()) return;
    const json::Value said = document->root();
    const ApprovalForm form = ApprovalForm::of_schema(view.form_json);
    out.raw("<dl>");
    for (std::size_t i = 0; i < said.size(); ++i) {
        const auto [name, value] = said.member(i);
        const bool beside = name == kCommentInput && !form.asks_for(name);
        out.element("dt", beside ? "Comment" : form.title_of(name));
        out.element("dd dir=\"auto\"", plain_value(value));
    }
    out.raw("</dl>");
}

}  // namespace

AnswerNames answer_names(const std::vector<std::string>& awaited) {
    const auto waits_for = [&awaited](std::string_view name) {
        return awaited.empty() || std::ranges::find(awaited, name) != awaited.end();
    };
    AnswerNames names;
    if (waits_for("approved")) names.approve = "approved";
    if (waits_for("rejected")) names.reject = "rejected";
    // Whoever waits for other words gets the first of them.
    if (names.approve.empty() && names.reject.empty()) names.approve = awaited.front();
    return names;
}

bool is_readable(const hub::Question& question) {
    const std::string_view type = question.context_type;
    const bool is_text = type.empty() || type.starts_with("text/") ||
                         type.starts_with("application/json") || type.ends_with("+json") ||
                         type.starts_with("application/xml") ||
                         type.starts_with("application/yaml");
    return is_text && is_utf8(question.context) && question.context.find('\0') == std::string::npos;
}

http::Response asking_page(unsigned status, const AskingPage& page) {
    std::string body;
    HtmlWriter out(body);
    write_notice(out, page);
    out.raw("<p class=\"eyebrow\">Approval</p>");
    write_prompt(out, page.view.question ? page.view.question->prompt : std::string());
    write_facts(out, page);
    write_context(out, page);
    write_form(out, page);
    return page_of(status, "Your answer is asked for", body,
                   "You can answer once. Keep the address of this page to yourself: whoever has it "
                   "can answer in your place.");
}

http::Response answered_page(unsigned status, const service::ApprovalLinkView& view) {
    const bool approved = view.link.answer == "approved";
    std::string body;
    HtmlWriter out(body);
    out.raw(approved ? "<p class=\"verdict approved\">Approved</p>"
                     : "<p class=\"verdict rejected\">Rejected</p>");
    write_prompt(out, view.prompt);
    out.raw("<p class=\"quiet\">")
        .text("Answered on " + moment(view.link.answered_at))
        .raw(".</p>");
    write_said(out, view);
    return page_of(status, approved ? "Approved" : "Rejected", body,
                   "Thank you. There is nothing more to do here.");
}

http::Response telling_page(unsigned status, std::string_view heading, std::string_view sentence) {
    std::string body;
    HtmlWriter out(body);
    out.element("h1", heading).element("p class=\"prompt\"", sentence);
    return page_of(status, heading, body, "");
}

void secure_page(http::Response& response) {
    const auto add = [&response](std::string name, std::string value) {
        response.headers.push_back({.name = std::move(name), .value = std::move(value)});
    };
    add("Content-Security-Policy", page_policy());
    add("Referrer-Policy", "no-referrer");
    add("Cache-Control", "no-store");
    add("X-Content-Type-Options", "nosniff");
    add("X-Robots-Tag", "noindex, nofollow");
    add("Cross-Origin-Opener-Policy", "same-origin");
    add("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace ff::api
