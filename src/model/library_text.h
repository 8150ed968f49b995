#pragma once

#include <span>
#include <string_view>

/// What the build writes into library_text.cc from lua/. Only library.cc reads it.
namespace ff::model::library {

extern const std::string_view kVersion;
extern const std::string_view kDigest;
/// The files of the library in order, each at most as long as a compiler takes.
extern const std::span<const std::string_view> kPieces;

}  // namespace ff::model::library
