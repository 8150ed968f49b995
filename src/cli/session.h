#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/programs.h"
#include "flowfabric/client.h"

namespace ff::cli {

constexpr int kDone = 0;
constexpr int kFailed = 1;
/// Arguments that cannot be understood, as opposed to work that failed.
constexpr int kUsage = 2;

enum class Colour : int { Plain = 0, Red = 31, Green = 32, Yellow = 33, Blue = 34, Grey = 90 };

/// Rows for people, in columns as wide as their widest cell. A terminal that is too narrow for all
/// columns shows those on the left, so the most important ones come first.
class Table {
  public:
    explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
    void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
    bool empty() const { return rows_.size() == 1; }
    const std::vector<std::vector<std::string>>& rows() const { return rows_; }

  private:
    std::vector<std::vector<std::string>> rows_;
};

/// One call of the program: the server it talks to, and how it speaks.
class Session {
  public:
    struct Options {
        std::string url{};
        /// Of the authorities of an https server; the system's when empty.
        std::string ca_file{};
        bool insecure = false;
        std::string token{};
        bool json = false;
        /// Standard output is a terminal that knows colours.
        bool colours = false;
        /// Columns of the terminal; 0 where it is none, and lines may be of any length.
        std::size_t width = 0;
    };

    Session(Options options, const Programs& programs)
        : options_(std::move(options)), programs_(programs) {}

    const Options& options() const { return options_; }
    const Programs& programs() const { return programs_; }
    bool json() const { return options_.json; }
    flowfabric::Result<flowfabric::AdminClient> client() const;

    void line(std::string_view text) const;
    /// Without an end of line.
    void write(std::string_view text) const;
    void print(const Table& table) const;
    void print_json(const flowfabric::Json& document) const;
    /// The document for programs; otherwise its members as `name  value` lines for people.
    int show(const flowfabric::Json& document) const;
    /// Says on standard error how to read on, unless it was the last page.
    void tell_more(const std::string& next_cursor) const;
    std::string paint(std::string_view text, Colour colour) const;
    /// A public state in its colour.
    std::string paint_state(const std::string& state) const;

    /// Says what went wrong on standard error, with `--json` as one document; the exit code.
    int fail(const flowfabric::Error& error) const;
    int fail(const Error& error) const;
    int usage(const Error& error) const;

  private:
    int refuse(const Error& error, int exit_code) const;
    void tell_error(const flowfabric::Error& error) const;

    Options options_;
    const Programs& programs_;
};

/// Bytes of a file, or of standard input for `-`.
Result<std::string> read_input(const std::string& path);

}  // namespace ff::cli
