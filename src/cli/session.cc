#include "cli/session.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/arguments.h"
#include "cli/words.h"

namespace ff::cli {
namespace {

using flowfabric::Json;

/// Bytes on the screen, without the marks of colours.
std::size_t width_of(std::string_view cell) {
    std::size_t width = 0;
    bool in_mark = false;
    for (const char c : cell) {
        if (c == '\x1b') in_mark = true;
        // Bytes that go on a UTF-8 character take no place of their own.
        const bool counts = !in_mark && (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
        if (counts) ++width;
        if (in_mark && c == 'm') in_mark = false;
    }
    return width;
}

constexpr std::size_t kGap = 2;

/// How many columns a line of `most` characters has room for; at least one.
std::size_t columns_within(const std::vector<std::size_t>& widths, std::size_t most) {
    if (most == 0) return widths.size();
    std::size_t columns = 0;
    std::size_t used = 0;
    for (const std::size_t width : widths) {
        used += width + (columns == 0 ? 0 : kGap);
        if (used > most && columns > 0) break;
        ++columns;
    }
    return columns;
}

std::string cell_of(const Json& value) {
    if (value.is_string()) return value.text();
    return value.dump();
}

}  // namespace

flowfabric::Result<flowfabric::AdminClient> Session::client() const {
    flowfabric::ClientOptions how{
        .url = options_.url, .tls = {.ca_file = options_.ca_file, .verify = !options_.insecure}};
    if (!options_.token.empty()) how.token = options_.token;
    return flowfabric::AdminClient::connect(std::move(how));
}

void Session::line(std::string_view text) const {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

void Session::write(std::string_view text) const {
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

void Session::print(const Table& table) const {
    std::vector<std::size_t> widths;
    for (const auto& row : table.rows()) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], width_of(row[i]));
    }
    const std::size_t columns = columns_within(widths, options_.width);
    for (const auto& row : table.rows()) {
        std::string text;
        for (std::size_t i = 0; i < row.size() && i < columns; ++i) {
            text += row[i];
            if (i + 1 < columns) text.append(widths[i] - width_of(row[i]) + kGap, ' ');
        }
        line(&row == &table.rows().front() ? paint(text, Colour::Grey) : text);
    }
}

void Session::print_json(const Json& document) const {
    line(document.dump());
}

int Session::show(const Json& document) const {
    if (json()) {
        print_json(document);
        return kDone;
    }
    Table table({"FIELD", "VALUE"});
    for (const auto& [name, value] : document.members()) {
        const bool state = name == "status" || name == "public_state";
        // Ids as they can be typed again, without braces that shells take apart.
        const std::string cell = name.ends_with("_id") ? plain_id(cell_of(value)) : cell_of(value);
        table.row({name, state ? paint_state(value.text()) : cell});
    }
    print(table);
    return kDone;
}

void Session::tell_more(const std::string& next_cursor) const {
    if (!next_cursor.empty()) std::fprintf(stderr, "more: --cursor '%s'\n", next_cursor.c_str());
}

std::string Session::paint(std::string_view text, Colour colour) const {
    if (!options_.colours || colour == Colour::Plain) return std::string(text);
    return "\x1b[" + std::to_string(static_cast<int>(colour)) + "m" + std::string(text) + "\x1b[0m";
}

std::string Session::paint_state(const std::string& state) const {
    if (state == "completed" || state == "success" || state == "ok")
        return paint(state, Colour::Green);
    if (state == "failed" || state == "expired") return paint(state, Colour::Red);
    if (state == "active" || state == "running") return paint(state, Colour::Blue);
    if (state == "cancelled" || state == "skipped") return paint(state, Colour::Grey);
    return paint(state, Colour::Yellow);
}

int Session::fail(const flowfabric::Error& error) const {
    // A call that could not be made as it was asked for: a URL that is none, a missing file.
    const int exit_code = error.code == "config" ? kUsage : kFailed;
    if (json()) {
        tell_error(error);
        return exit_code;
    }
    std::fprintf(stderr, "flowfabric: %s\n", error.text().c_str());
    // A sentence of the server's tells the details already.
    if (error.status == 0)
        for (const std::string& detail : error.detail)
            std::fprintf(stderr, "  %s\n", detail.c_str());
    if (error.kind == "connect_failed")
        std::fprintf(stderr, "  `flowfabric dev` starts a server; --server names another one\n");
    return exit_code;
}

int Session::fail(const Error& error) const {
    return refuse(error, kFailed);
}

int Session::usage(const Error& error) const {
    return refuse(error, kUsage);
}

int Session::refuse(const Error& error, int exit_code) const {
    if (json()) {
        tell_error({.code = error.code, .detail = error.detail, .message = error.text()});
    } else {
        std::fprintf(stderr, "flowfabric: %s\n", error.text().c_str());
    }
    return exit_code;
}

void Session::tell_error(const flowfabric::Error& error) const {
    const auto body = Json::parse(error.body);
    Json document = body.has_value() && body->is_object() ? *body : Json::object();
    if (!document.has("code")) {
        document.set("code", error.code);
        document.set("class", std::string(to_string(error.cls)));
        document.set("retryable", error.retryable());
        document.set("message", error.message.empty() ? error.text() : error.message);
        document.set("detail", Json::texts(error.detail));
    }
    if (error.status != 0) document.set("status", static_cast<std::int64_t>(error.status));
    std::fprintf(stderr, "%s\n", document.dump().c_str());
}

Result<std::string> read_input(const std::string& path) {
    if (path == "-")
        return std::string(std::istreambuf_iterator<char>(std::cin),
                           std::istreambuf_iterator<char>());
    std::ifstream file(path, std::ios::binary);
    if (!file) return mistake("The file " + path + " cannot be read.");
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace ff::cli
