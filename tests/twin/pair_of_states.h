#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "host/channel_hub.h"
#include "host/shard_state.h"
#include "twin/recorded_call.h"
#include "twin/reply_tape.h"

namespace ff::twin {

struct PairOptions {
    /// Of the first state; the second is always interpreted.
    bool compile = true;
    /// Whether the first has seen a task's life before its first call, as a store that opens does.
    bool rehearsed = false;
};

/// Two states that are given the same calls at the same time and must do the same.
class PairOfStates {
  public:
    explicit PairOfStates(const PairOptions& options);
    ~PairOfStates();
    PairOfStates(const PairOfStates&) = delete;
    PairOfStates& operator=(const PairOfStates&) = delete;

    /// What they did differently; empty if nothing.
    std::string run(const RecordedCall& call);
    /// To the last call, of the interpreted state.
    testing::RespValue reply() const { return interpreted_.reply.value(); }
    /// Asks the interpreted state alone, for whoever chooses the next call.
    testing::RespValue peek(const RecordedCall& call);

    /// What the keyspaces hold differently; empty if nothing.
    std::string compare_contents();
    /// Those that have this text in their name.
    std::vector<std::string> keys_with(std::string_view part) const;

  private:
    /// What one state did with a call.
    struct Deed {
        ReplyTape reply{};
        std::string effects{};
        std::string published{};
    };
    /// Messages are only made if somebody hears them.
    class Ear final : public host::Listener {
      public:
        void message(std::string_view, std::string_view) override {}
        void gap() override {}
        void end() override {}
    };

    static void load_library(host::ShardState& state);
    std::string difference(const RecordedCall& call) const;
    std::string first_different_key();
    static void perform(host::ShardState& state, const RecordedCall& call, Deed& deed);
    std::string compare_values(const std::string& key, std::string_view type);

    host::ChannelHub hub_{};
    Ear ear_{};
    std::unique_ptr<host::ShardState> first_{};
    std::unique_ptr<host::ShardState> second_{};
    Deed compiled_{};
    Deed interpreted_{};
    std::chrono::microseconds last_now_{};
};

}  // namespace ff::twin
