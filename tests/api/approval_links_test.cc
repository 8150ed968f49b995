// The pages behind approval links, and what people of bad will do with them.
#include "api/signal_world.h"
#include "base/bytes.h"
#include "model/exec_keys.h"
#include "support/log_capture.h"

namespace ff::testing {
namespace {

const std::string kApiToken = "the-bearer-of-this-test-0123456789";
const std::string kBothAnswers = R"(,"signals":["approved","rejected"])";

/// What a browser sees.
struct Page : HttpReply {
    bool shows(std::string_view text) const { return body.find(text) != std::string::npos; }
    /// Of the hidden input.
    std::string token() const {
        const std::string before = R"(name="page" value=")";
        const auto at = body.find(before);
        return at == std::string::npos ? std::string() : body.substr(at + before.size(), 64);
    }
};

/// A waitpoint at which somebody is asked, and a link to it.
struct Linked {
    Held held;
    std::string waitpoint{};
    std::string token{};
    std::string link_id{};
    std::string url{};
    /// From the slash behind the host on.
    std::string path{};
};

class ApprovalLinkApi : public SignalApi {
  protected:
    virtual WorldOptions options() {
        WorldOptions options;
        options.settings.api_token = kApiToken;
        options.settings.public_url =
            *http::PublicUrl::parse("https://approve.example.org/fabric", "FF_PUBLIC_URL");
        return options;
    }
    void SetUp() override { world(options()); }

    JsonReply bearer(std::string_view method, std::string_view target, std::string_view body = {}) {
        return world().request(method, target, body, {{"Authorization", "Bearer " + kApiToken}});
    }
    Linked ask(std::string_view approval, std::string_view link = "{}",
               std::string_view signals = kBothAnswers) {
        Linked linked{.held = start()};
        const JsonReply suspended = bearer("POST", linked.held.path("/suspend"),
                                           "{" + linked.held.lease() + std::string(signals) +
                                               R"(,"approval":)" + std::string(approval) + "}");
        EXPECT_EQ(suspended.status, 200) << suspended.body;
        linked.waitpoint = suspended.text("waitpoint_id");
        linked.token = suspended.text("waitpoint_token");
        return with_link(std::move(linked), link);
    }
    Linked with_link(Linked linked, std::string_view link = "{}") {
        const JsonReply made = bearer("POST", links_of(linked), link);
        EXPECT_EQ(made.status, 201) << made.body;
        EXPECT_EQ(made.header("Cache-Control"), "no-store");
        linked.link_id = made.text("link_id");
        linked.url = made.text("url");
        linked.path = linked.url.substr(std::string("https://approve.example.org").size());
        return linked;
    }
    static std::string links_of(const Linked& linked) {
        return linked.held.path("/waitpoints/" + linked.waitpoint + "/link");
    }
    Page request(std::string_view method, std::string_view target, const HttpHeaders& headers = {},
                 std::string_view body = {}) {
        HttpConnection connection = world().connect();
        EXPECT_TRUE(
            connection.send_raw(HttpConnection::encode(method, target, headers, body)).has_value());
        Result<HttpReply> reply = connection.read_reply(method == "HEAD");
        EXPECT_TRUE(reply.has_value());
        return Page{*std::move(reply)};
    }
    Page open(const Linked& linked) { return request("GET", linked.path); }
    /// As the form of the page sends it.
    Page send(const Linked& linked, const std::string& form, HttpHeaders headers = browser()) {
        headers.emplace_back("Content-Type", "application/x-www-form-urlencoded");
        return request("POST", linked.path, headers, form);
    }
    static HttpHeaders browser() { return {{"Origin", "null"}, {"Sec-Fetch-Site", "same-origin"}}; }
    Page answer(const Linked& linked, const std::string& decision, const std::string& more = "") {
        return send(linked, "page=" + open(linked).token() + "&answer=" + decision + more);
    }
    JsonReply signals(const Linked& linked) { return bearer("GET", linked.held.path("/signals")); }
    std::string state_of(const Linked& linked) {
        return bearer("GET", linked.held.path("/state")).text("public_state");
    }
    /// Everything that an answer could have changed.
    std::string trace(const Linked& linked) {
        return bearer("GET", linked.held.path("/suspension")).body + signals(linked).body +
               bearer("GET", linked.held.path("/pending-waitpoints")).body + state_of(linked);
    }
    /// What came with the only signal there is.
    std::string payload(const Linked& linked) {
        const JsonReply listed = signals(linked);
        const auto list = listed.json().find("signals");
        if (!list || list->size() != 1) return listed.body;
        const std::string id(list->element(0).find("signal_id")->as_string().value_or(""));
        const model::ExecKeys keys(linked.held.task.execution_id);
        const store::Reply stored =
            world().command({"GET", keys.signal_payload(*model::SignalId::parse(id))});
        return std::string(stored.text().value_or(""));
    }
    /// One fact of the only link of the only waiting waitpoint.
    std::string listed_links(const Linked& linked) {
        const JsonReply listed = bearer("GET", linked.held.path("/pending-waitpoints"));
        const auto links = listed.json().find("waitpoints")->element(0).find("links");
        return links ? links->to_text() : std::string();
    }
};

class Ch03ApprovalLinks : public ApprovalLinkApi {};

TEST_P(Ch03ApprovalLinks, S76_APersonApprovesWithAComment) {
    const Linked linked = ask(
        R"({"prompt":"Refund 120 EUR?\nIt is the third this week.","assignees":["ann","finance"],)"
        R"("context":"order 42","context_type":"text/plain","due_at":5000000000000})",
        R"({"label":"ann@example.org"})");
    EXPECT_TRUE(linked.url.starts_with("https://approve.example.org/fabric/approve/"));
    const Page page = open(linked);
    EXPECT_EQ(page.status, 200);
    EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
    for (const char* text : {"Refund 120 EUR?", "It is the third this week.", "ann, finance",
                             "ann@example.org", "order 42", "11 June 2128"})
        EXPECT_TRUE(page.shows(text)) << text << page.body;
    const Page sent = answer(linked, "approved", "&comment=Fine+by+me%0D%0AAnn");
    EXPECT_EQ(sent.status, 303);
    EXPECT_EQ(sent.header("Location"), linked.path.substr(linked.path.rfind('/') + 1));
    EXPECT_EQ(state_of(linked), "waiting");
    EXPECT_EQ(payload(linked), R"({"comment":"Fine by me\nAnn"})");
    const JsonReply told = signals(linked);
    for (const char* text : {R"("signal_name":"approved")", R"("signal_category":"approval")",
                             R"("source_type":"user")", R"("source_identity":"ann@example.org")",
                             R"("observed_effect":"resume_condition_satisfied")"})
        EXPECT_NE(told.body.find(text), std::string::npos) << text << told.body;
    const Page after = open(linked);
    EXPECT_EQ(after.status, 200);
    for (const char* text : {"Approved", "Refund 120 EUR?", "Fine by me"})
        EXPECT_TRUE(after.shows(text)) << text;
    EXPECT_FALSE(after.shows("<form"));
    EXPECT_FALSE(after.shows("order 42"));
}

TEST_P(Ch03ApprovalLinks, S76_APersonRejectsWithoutFillingTheForm) {
    const Linked linked =
        ask(R"({"form":{"properties":{"sum":{"type":"number"}},"required":["sum"]}})");
    EXPECT_EQ(answer(linked, "rejected", "&comment=No.&field0=junk").status, 303);
    EXPECT_EQ(payload(linked), R"({"comment":"No."})");
    EXPECT_NE(signals(linked).body.find(R"("signal_name":"rejected")"), std::string::npos);
    EXPECT_TRUE(open(linked).shows("Rejected"));
}

TEST_P(Ch03ApprovalLinks, S76_TheFormIsCheckedAndBecomesThePayload) {
    const Linked linked =
        ask(R"({"form":{"type":"object","required":["sum","reason"],"properties":{)"
            R"("sum":{"type":"number","minimum":1,"maximum":100,"title":"Sum in EUR"},)"
            R"("reason":{"type":"string","minLength":3,"maxLength":5},)"
            R"("kind":{"enum":["full","part",3]},"urgent":{"type":"boolean"},)"
            R"("count":{"type":"integer","default":2},"tags":{"type":"array"}}}})");
    const Page page = open(linked);
    for (const char* text : {"Sum in EUR", R"(min="1")", R"(max="100")", R"(maxlength="5")",
                             ">full</option>", R"(type="checkbox")", R"(value="2")"})
        EXPECT_TRUE(page.shows(text)) << text;
    const std::string before = trace(linked);
    const Page wrong = answer(linked, "approved",
                              "&field0=101&field1=ab&field2=9&field4=1.5&field5=%5B1&comment=kept");
    EXPECT_EQ(wrong.status, 400);
    for (const char* text : {"At most 100.", "At least 3 characters.", "One of the values",
                             "A whole number.", "JSON, such as", "kept", R"(value="101")"})
        EXPECT_TRUE(wrong.shows(text)) << text << wrong.body;
    EXPECT_EQ(answer(linked, "approved").status, 400);
    EXPECT_EQ(trace(linked), before);
    EXPECT_EQ(answer(linked, "approved",
                     "&field0=12.50&field1=%C3%A4%C3%B6%C3%BC&field2=2&field3=on&field4=7"
                     "&field5=%5B%22a%22%5D&comment=x")
                  .status,
              303);
    EXPECT_EQ(payload(linked),
              "{\"sum\":12.5,\"reason\":\"\xC3\xA4\xC3\xB6\xC3\xBC\",\"kind\":3,\"urgent\":true,"
              "\"count\":7,\"tags\":[\"a\"],\"comment\":\"x\"}");
}

TEST_P(Ch03ApprovalLinks, S77_ALinkAnswersOnce) {
    const Linked linked = ask(R"({"prompt":"Once?"})");
    const std::string token = open(linked).token();
    EXPECT_EQ(send(linked, "page=" + token + "&answer=approved").status, 303);
    const std::string before = trace(linked);
    const Page again = send(linked, "page=" + token + "&answer=rejected&comment=changed");
    EXPECT_EQ(again.status, 409);
    EXPECT_TRUE(again.shows("Approved"));
    EXPECT_FALSE(again.shows("changed"));
    EXPECT_EQ(trace(linked), before);
}

TEST_P(Ch03ApprovalLinks, S77_AnsweredElsewhereItSaysSoAndNoMore) {
    const Linked linked = ask(R"({"prompt":"SECRET QUESTION"})");
    const std::string token = open(linked).token();
    ASSERT_EQ(bearer("POST", linked.held.path("/resume"), "{}").status, 200);
    EXPECT_EQ(open(linked).status, 410);
    EXPECT_FALSE(open(linked).shows("SECRET QUESTION"));
    EXPECT_EQ(send(linked, "page=" + token + "&answer=approved").status, 409);
    EXPECT_EQ(bearer("POST", links_of(linked), "{}").code(), "waitpoint_closed");
}

TEST_P(Ch03ApprovalLinks, S78_ARevokedLinkOpensNothing) {
    const Linked linked = ask(R"({"prompt":"SECRET QUESTION"})");
    const Linked other = with_link(linked);
    const std::string token = open(linked).token();
    EXPECT_EQ(bearer("DELETE", links_of(linked) + "?link_id=" + linked.link_id).integer("revoked"),
              1);
    EXPECT_EQ(open(linked).status, 410);
    EXPECT_FALSE(open(linked).shows("SECRET QUESTION"));
    EXPECT_EQ(send(linked, "page=" + token + "&answer=approved").status, 409);
    EXPECT_EQ(open(other).status, 200);
    EXPECT_EQ(bearer("DELETE", links_of(linked)).integer("revoked"), 1);
    EXPECT_EQ(open(other).status, 410);
    EXPECT_EQ(bearer("DELETE", links_of(linked)).integer("revoked"), 0);
    EXPECT_EQ(bearer("DELETE", links_of(linked) + "?link_id=nobody").code(), "link_not_found");
    EXPECT_EQ(state_of(linked), "suspended");
}

TEST_P(Ch03ApprovalLinks, S78_AnExpiredLinkOpensNothing) {
    const Linked linked = ask(R"({"prompt":"SECRET QUESTION"})", R"({"expires_in_ms":1})");
    Page page = open(linked);
    while (page.status == 200) page = open(linked);
    EXPECT_EQ(page.status, 410);
    EXPECT_TRUE(page.shows("expired"));
    EXPECT_FALSE(page.shows("SECRET QUESTION"));
    EXPECT_EQ(send(linked, "page=x&answer=approved").status, 409);
    EXPECT_EQ(state_of(linked), "suspended");
}

TEST_P(Ch03ApprovalLinks, S79_ListingsTellWhichLinksAreOut) {
    const Linked linked = ask(R"({"prompt":"Who?"})", R"({"label":"ann"})");
    EXPECT_NE(listed_links(linked).find(R"("link_id":")" + linked.link_id + R"(","label":"ann")"),
              std::string::npos)
        << listed_links(linked);
    EXPECT_NE(bearer("GET", "/v1/approvals").body.find(linked.link_id), std::string::npos);
    bearer("DELETE", links_of(linked));
    EXPECT_NE(listed_links(linked).find("revoked_at"), std::string::npos);
    const JsonReply all = bearer("GET", linked.held.path("/pending-waitpoints"));
    const std::string secret = linked.path.substr(linked.path.rfind('/') + 1);
    EXPECT_EQ(all.body.find(secret), std::string::npos);
    EXPECT_EQ(all.body.find("digest"), std::string::npos);
}

TEST_P(Ch03ApprovalLinks, S80_NothingThatIsAskedBecomesMarkup) {
    const std::string evil =
        R"(</title></pre></textarea><script>alert(1)</script>\"'onload=x&amp;)";
    const std::string form = R"({"properties":{"p\"><script>alert(2)</script>":{"title":")" + evil +
                             R"(","description":")" + evil + R"(","type":"string","default":")" +
                             evil + R"("},"c":{"enum":[")" + evil + R"("]}}})";
    const Linked linked =
        ask(R"({"prompt":")" + evil + R"(","assignees":[")" + evil + R"("],"context":")" + evil +
                R"(","context_type":"text/html","form":)" + form + "}",
            R"({"label":")" + evil + "\"}");
    for (const Page& page :
         {open(linked), send(linked, "answer=approved&comment=%3Cscript%3Ealert(3)&page=" +
                                         open(linked).token() + "&field0=%22%3E%3Cscript%3E")}) {
        EXPECT_EQ(page.body.find("<script"), std::string::npos) << page.body;
        EXPECT_EQ(page.body.find("\"onload"), std::string::npos);
        EXPECT_EQ(page.body.find("'onload"), std::string::npos);
    }
    const Page after = open(linked);
    EXPECT_TRUE(after.shows("Approved")) << after.body;
    EXPECT_EQ(after.body.find("<script"), std::string::npos) << after.body;
}

TEST_P(Ch03ApprovalLinks, S80_ThePageLetsNothingInAndNothingOut) {
    const Linked linked = ask(R"({"prompt":"Safe?","context_base64":"AP/DKA=="})");
    const Page page = open(linked);
    const std::string policy = page.header("Content-Security-Policy");
    for (const char* part : {"default-src 'none'", "style-src 'sha256-", "form-action 'self'",
                             "frame-ancestors 'none'", "base-uri 'none'"})
        EXPECT_NE(policy.find(part), std::string::npos) << policy;
    EXPECT_EQ(policy.find("unsafe"), std::string::npos);
    EXPECT_EQ(page.header("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(page.header("Cache-Control"), "no-store");
    EXPECT_EQ(page.header("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(page.header("Access-Control-Allow-Origin"), "");
    const Page context = request("GET", linked.path + "/context");
    EXPECT_EQ(context.status, 200);
    EXPECT_EQ(context.body, std::string("\x00\xff\xc3\x28", 4));
    EXPECT_EQ(context.header("Content-Type"), "application/octet-stream");
    EXPECT_TRUE(context.header("Content-Disposition").starts_with("attachment"));
    const std::string secret = linked.path.substr(linked.path.rfind('/') + 1);
    EXPECT_FALSE(page.shows(linked.token.substr(3)));
    for (const std::string& id :
         {linked.waitpoint, linked.held.task.execution_id.uuid().to_string()})
        EXPECT_FALSE(page.shows(id)) << page.body;
}

TEST_P(Ch03ApprovalLinks, S81_AnswersComeFromThePageAlone) {
    const Linked linked = ask(R"({"prompt":"Whose?"})");
    const std::string form = "page=" + open(linked).token() + "&answer=approved";
    const std::string before = trace(linked);
    const std::vector<HttpHeaders> foreign = {
        {},
        {{"Origin", "https://evil.example"}},
        {{"Origin", "https://approve.example.org.evil.example"}},
        {{"Origin", "http://approve.example.org"}},
        {{"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}},
        {{"Origin", "null"}, {"Sec-Fetch-Site", "same-site"}},
        {{"Origin", "https://approve.example.org"}, {"Sec-Fetch-Site", "cross-site"}},
        {{"Sec-Fetch-Site", "none"}},
    };
    for (const HttpHeaders& headers : foreign) {
        const Page page = send(linked, form, headers);
        EXPECT_EQ(page.status, 403) << (headers.empty() ? "" : headers.front().second);
        EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
    }
    for (const char* wrong :
         {"", "page=", "page=0000", "answer=approved",
          "page=0000000000000000000000000000000000000000000000000000000000000000"
          "&answer=approved"})
        EXPECT_EQ(send(linked, wrong).status, 409) << wrong;
    EXPECT_EQ(send(linked, form + "&x=%zz").status, 415);
    EXPECT_EQ(send(linked, form + "&comment=%FF").status, 415);
    EXPECT_EQ(request("POST", linked.path,
                      {{"Sec-Fetch-Site", "same-origin"}, {"Content-Type", "text/plain"}}, form)
                  .status,
              415);
    EXPECT_EQ(trace(linked), before);
    // A browser that says its origin, and one behind plain HTTP that says neither.
    EXPECT_EQ(send(linked, "page=x", {{"Origin", "https://approve.example.org"}}).status, 409);
    EXPECT_EQ(send(linked, form, {{"Origin", "null"}}).status, 303);
}

TEST_P(Ch03ApprovalLinks, S81_AnAnswerIsGivenToTheQuestionThatWasRead) {
    Linked linked{.held = start()};
    const JsonReply created =
        bearer("POST", linked.held.path("/waitpoints"),
               "{" + linked.held.lease() +
                   R"(,"expires_in_ms":60000,"approval":{"prompt":"Refund 10 EUR?"}})");
    linked.waitpoint = created.text("waitpoint_id");
    linked = with_link(std::move(linked));
    const std::string token = open(linked).token();
    bearer("POST", linked.held.path("/suspend"),
           "{" + linked.held.lease() + kBothAnswers + R"(,"waitpoint":{"use_pending":")" +
               linked.waitpoint + R"("},"approval":{"prompt":"Refund 10000 EUR?"}})");
    const Page page = send(linked, "page=" + token + "&answer=approved");
    EXPECT_EQ(page.status, 409);
    EXPECT_TRUE(page.shows("has changed"));
    EXPECT_TRUE(page.shows("Refund 10000 EUR?"));
    EXPECT_EQ(state_of(linked), "suspended");
    EXPECT_EQ(answer(linked, "approved").status, 303);
}

TEST_P(Ch03ApprovalLinks, S82_TheSecretOfALinkOpensItsPageOnly) {
    const Linked linked = ask(R"({"prompt":"More?"})");
    const std::string secret = linked.path.substr(linked.path.rfind('/') + 1);
    for (const std::string& path :
         {linked.held.path("/state"), links_of(linked), linked.held.path("/pending-waitpoints")})
        EXPECT_EQ(world().request("GET", path, {}, {{"Authorization", "Bearer " + secret}}).status,
                  401)
            << path;
    const JsonReply signalled =
        world().post(linked.held.path("/signal"),
                     R"({"signal_name":"approved","waitpoint_id":")" + linked.waitpoint +
                         R"(","waitpoint_token":"k1:)" + secret + "\"}");
    EXPECT_EQ(signalled.status, 403);
    for (const char* more : {"/", "/x", "/context/x", "/../../v1/executions"})
        EXPECT_EQ(request("GET", linked.path + more).status, 404) << more;
    EXPECT_EQ(request("GET", linked.path + "/context").status, 404);
    for (const char* method : {"PUT", "DELETE", "PATCH"})
        EXPECT_EQ(request(method, linked.path, browser()).status, 405) << method;
    std::string other = linked.path;
    other.back() = other.back() == 'A' ? 'B' : 'A';
    std::string far = linked.path;
    far[far.rfind('/') + 1] = '_';
    for (const std::string& path :
         {other, far, linked.path.substr(0, linked.path.size() - 1), linked.path + "A",
          std::string("/fabric/approve/"), std::string("/approve/x"), std::string("/approve/%00")})
        EXPECT_EQ(request("GET", path).status, 404) << path;
    EXPECT_EQ(state_of(linked), "suspended");
}

TEST_P(Ch03ApprovalLinks, S82_LookingChangesNothing) {
    const Linked linked = ask(R"({"prompt":"Look?"})");
    const std::string before = trace(linked);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(open(linked).status, 200);
        const Page head = request("HEAD", linked.path);
        EXPECT_EQ(head.status, 200);
        EXPECT_EQ(head.body, "");
        EXPECT_EQ(head.header("Cache-Control"), "no-store");
        EXPECT_EQ(
            request("GET", linked.path + "?answer=approved&page=" + open(linked).token()).status,
            200);
    }
    EXPECT_EQ(trace(linked), before);
}

TEST_P(Ch03ApprovalLinks, S82_AnAnswerHasItsLimits) {
    const Linked linked = ask(R"({"prompt":"Long?"})");
    const std::string before = trace(linked);
    EXPECT_EQ(answer(linked, "approved", "&comment=" + std::string(100'000, 'x')).status, 400);
    EXPECT_EQ(answer(linked, "approved", "&comment=" + std::string(300'000, 'x')).status, 413);
    EXPECT_EQ(answer(linked, "maybe").status, 400);
    EXPECT_EQ(answer(linked, "approved%00").status, 400);
    EXPECT_EQ(trace(linked), before);
}

TEST_P(Ch03ApprovalLinks, S82_OnlyAnswersThatAreAwaitedAreOffered) {
    const Linked linked = ask(R"({"prompt":"Yes?"})", "{}", R"(,"signals":["approved"])");
    const Page page = open(linked);
    EXPECT_TRUE(page.shows(R"(value="approved")"));
    EXPECT_FALSE(page.shows(R"(value="rejected")"));
    EXPECT_EQ(answer(linked, "rejected").status, 400);
    const Linked other = ask(R"({"prompt":"Go?"})", "{}", R"(,"signals":["go","stop"])");
    EXPECT_EQ(answer(other, "approved").status, 303);
    EXPECT_NE(signals(other).body.find(R"("signal_name":"go")"), std::string::npos);
}

class Ch03LinkGuests : public ApprovalLinkApi {
  protected:
    WorldOptions options() override {
        WorldOptions options = ApprovalLinkApi::options();
        options.settings.guests = {.per_minute = 4, .per_minute_in_all = 100};
        return options;
    }
};

TEST_P(Ch03LinkGuests, S83_PagesAreOpenedFewAtATime) {
    const Linked linked = ask(R"({"prompt":"Many?"})");
    for (int i = 0; i < 4; ++i) EXPECT_EQ(open(linked).status, 200);
    for (const Page& page : {open(linked), send(linked, "page=x"), request("HEAD", linked.path)}) {
        EXPECT_EQ(page.status, 429);
        EXPECT_NE(page.header("Retry-After"), "");
        EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
    }
    EXPECT_EQ(state_of(linked), "suspended");
}

class Ch03LinkLogs : public ApprovalLinkApi {
  protected:
    WorldOptions options() override {
        WorldOptions options = ApprovalLinkApi::options();
        options.settings.access_log = app::AccessLog::All;
        return options;
    }
};

TEST_P(Ch03LinkLogs, S83_NoLineOfAServerShowsASecretOrAnAnswer) {
    const LogCapture logs;
    const Linked linked = ask(R"({"prompt":"PROMPT-OF-THE-QUESTION"})");
    open(linked);
    send(linked, "page=x&answer=approved&comment=COMMENT-OF-THE-ANSWER");
    send(linked, "page=x&answer=approved", {{"Origin", "https://evil.example"}});
    request("PUT", linked.path);
    answer(linked, "approved", "&comment=COMMENT-OF-THE-ANSWER");
    open(linked);
    bearer("DELETE", links_of(linked));
    const JsonReply audit = bearer("GET", "/v1/admin/audit");
    EXPECT_NE(audit.body.find("waitpoint.link"), std::string::npos);
    EXPECT_GT(logs.count("/approve/{link}"), 4U);
    const std::string secret = linked.path.substr(linked.path.rfind('/') + 1);
    for (const std::string& hidden :
         {secret, secret.substr(46), linked.token.substr(3), std::string("PROMPT-OF-THE-QUESTION"),
          std::string("COMMENT-OF-THE-ANSWER")}) {
        EXPECT_EQ(logs.count(hidden), 0U) << hidden;
        EXPECT_EQ(audit.body.find(hidden), std::string::npos) << hidden;
    }
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch03ApprovalLinks,
                         ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Stores, Ch03LinkGuests, ::testing::Values("embedded"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Stores, Ch03LinkLogs, ::testing::Values("embedded"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
