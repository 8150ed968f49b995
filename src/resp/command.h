#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string_view>

namespace ff::resp {

template <class T>
concept NotAnArgument = std::same_as<T, bool> || std::same_as<T, char>;
template <class T>
concept CommandInteger = std::integral<T> && !NotAnArgument<T>;

/// A command, built once into one block of memory in its wire form. A network client sends
/// `wire()`, an embedded store reads `args()`; neither copies. Both are valid until the command is
/// changed or destroyed, and survive a move of the command.
///
/// The block is [views of the arguments][room for the count line][arguments in wire form]: the
/// usual command (16 arguments, 500 bytes) costs one allocation.
class Command {
  public:
    /// No arguments, no memory; its wire form is empty.
    Command() = default;
    explicit Command(std::string_view name) { arg(name); }
    explicit Command(std::span<const std::string_view> args);
    Command(const Command& other);
    Command(Command&& other) noexcept;
    Command& operator=(const Command& other);
    Command& operator=(Command&& other) noexcept;
    ~Command() = default;

    /// The bytes may lie inside this very command.
    Command& arg(std::string_view bytes);
    Command& arg(CommandInteger auto number) {
        char digits[24];
        const char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
        return arg({digits, static_cast<std::size_t>(end - digits)});
    }
    /// The shortest text that reads back as the same number; as Valkey writes scores.
    Command& arg(double number);
    /// A flag or a lone character has no one spelling as an argument.
    template <NotAnArgument T>
    Command& arg(T) = delete;
    /// One argument joined from pieces: a key from its prefix, tag and suffix, without a temporary.
    Command& arg_parts(std::span<const std::string_view> parts);
    Command& arg_parts(std::initializer_list<std::string_view> parts) {
        return arg_parts(std::span<const std::string_view>(parts.begin(), parts.size()));
    }
    /// Each element becomes an argument of its own.
    Command& append(std::span<const std::string_view> args);

    /// Room for so many more argument bytes and arguments, in one allocation.
    void reserve(std::size_t bytes, std::size_t args = 0);
    /// Forgets the arguments and keeps the memory.
    void clear();

    /// `*N\r\n$len\r\n...`, ready to be sent.
    std::string_view wire() const;
    std::size_t argc() const { return argc_; }
    bool empty() const { return argc_ == 0; }
    /// Empty beyond the last argument.
    std::string_view argv(std::size_t index) const {
        return index < argc_ ? views()[index] : std::string_view();
    }
    /// args()[0] is the command's name.
    std::span<const std::string_view> args() const { return {views(), argc_}; }

    /// The same arguments in the same order.
    friend bool operator==(const Command& a, const Command& b) { return a.wire() == b.wire(); }

  private:
    /// An element of the block; it gives the block the alignment of the views at its start.
    struct alignas(std::string_view) Cell {
        std::byte bytes[sizeof(std::string_view)];
    };
    using Block = std::unique_ptr<Cell[]>;

    const std::string_view* views() const {
        return reinterpret_cast<const std::string_view*>(block_.get());
    }
    std::string_view* views() { return reinterpret_cast<std::string_view*>(block_.get()); }
    const char* text() const { return reinterpret_cast<const char*>(views() + views_max_); }
    char* text() { return reinterpret_cast<char*>(views() + views_max_); }
    /// "*", 20 digits and a line end: any count fits in front of the arguments.
    static constexpr std::size_t kHeadBytes = 23;

    /// Makes room and returns the block that was left, which the caller keeps while it still reads
    /// arguments from it.
    Block grow(std::size_t bytes, std::size_t args) {
        const std::size_t views_needed = argc_ + args;
        const std::size_t text_needed = text_end_ + bytes;
        if (views_needed <= views_max_ && text_needed <= text_max_) return nullptr;
        return enlarge(views_needed, text_needed);
    }
    Block enlarge(std::size_t views_needed, std::size_t text_needed);
    void copy_content(const Command& from);
    void count_one_more();
    void write_count();

    Block block_;
    std::size_t views_max_ = 0;
    std::size_t text_max_ = 0;
    /// End of the arguments within the text, and start of the count line.
    std::size_t text_end_ = kHeadBytes;
    std::size_t head_ = kHeadBytes;
    std::size_t argc_ = 0;
};

}  // namespace ff::resp
