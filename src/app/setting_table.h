#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/settings.h"

namespace ff::app {

/// What is read before it can be checked as a whole.
struct RawSettings {
    Settings settings{};
    model::PartitionCounts counts{};
    std::string solo_overrides{};
    std::optional<std::uint64_t> stream_ops_by_old_name{};
    std::optional<std::uint64_t> stream_ops{};
    std::optional<std::uint64_t> tail_pool_size{};
};

/// One setting: the same words serve the reader, the help and the documentation.
struct Setting {
    std::string_view name{};
    /// As a person would write it; empty means unset.
    std::string_view otherwise{};
    std::string_view rule{};
    std::string_view about{};
    /// Takes the value over or says what is wrong with it; `field` names it in the error.
    Result<Done> (*apply)(RawSettings& raw, const std::string& value,
                          std::string_view field) = nullptr;
    bool boolean = false;

    /// `FF_LISTEN_ADDR` -> `--listen-addr`.
    std::string flag() const;
};

std::span<const Setting> setting_table();

}  // namespace ff::app
