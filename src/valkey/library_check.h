#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "store/call.h"
#include "valkey/options.h"

namespace ff::valkey {

/// Decides for one primary whether the function library must be loaded there (spec 01, section 9;
/// 02, section 3.4). Fed with replies; asks nothing itself.
class LibraryCheck {
  public:
    enum class Step : std::uint8_t {
        AskVersion,  // FCALL ff_version 0
        AskInfo,     // FCALL ff_library_info 0
        Load,        // FUNCTION LOAD REPLACE
        Done,
        DoneNewer,  // a newer library is there and stays
        Retry,      // transient: start over after a pause, with a fresh topology
        Fail,       // for good
    };

    explicit LibraryCheck(const Library& library, bool force) : library_(library), force_(force) {}

    Step start() const { return force_ ? Step::Load : Step::AskVersion; }
    Step on_version(const Result<store::Reply>& reply);
    Step on_info(const Result<store::Reply>& reply);
    Step on_loaded(const Result<store::Reply>& reply);

    /// After Retry or Fail.
    const Error& error() const { return error_; }

  private:
    Step on_failure(const Error& error);
    /// What is there is older than ours, or not ours.
    Step needs_load(const std::string& found);

    const Library& library_;
    bool force_;
    bool loaded_ = false;
    Error error_{};
};

}  // namespace ff::valkey
