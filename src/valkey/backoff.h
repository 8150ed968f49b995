#pragma once

#include <chrono>

#include "base/random.h"

namespace ff::valkey {

struct BackoffOptions {
    std::chrono::milliseconds first{10};
    std::chrono::milliseconds most{1000};
};

/// The pauses between attempts: doubling up to a cap, each shortened by up to half at random so
/// that clients that failed together do not come back together.
class Backoff {
  public:
    Backoff(Random& random, BackoffOptions options) : random_(random), options_(options) {}

    std::chrono::milliseconds next();
    /// The next pause is the first again.
    void reset() { step_ = std::chrono::milliseconds(0); }

  private:
    Random& random_;
    BackoffOptions options_;
    std::chrono::milliseconds step_{0};
};

}  // namespace ff::valkey
