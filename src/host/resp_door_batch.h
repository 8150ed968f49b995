#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "host/resumer.h"
#include "host/shard_work.h"
#include "resp/writer.h"

namespace ff::host {

/// Requests of one connection that follow each other, on their way to the shards and back: one
/// piece of work for each shard that is concerned. Used again and again, it allocates nothing.
/// Lives on the loop of its connection.
class DoorBatch final : public Resumable {
  public:
    explicit DoorBatch(ShardWorkTaker& shards);
    ~DoorBatch() override;

    /// The bytes must stay where they are until `run` returns. Cross-slot requests are answered
    /// here, at their place in the order. `one_key`: see DoorCommand.
    void add(std::span<const std::string_view> argv, bool one_key);
    bool empty() const { return requests_.empty(); }
    std::size_t size() const { return requests_.size(); }

    /// Appends the replies to `out` in the order of the requests, and is empty again.
    boost::asio::awaitable<void> run(resp::Protocol protocol, std::string& out);

  private:
    class Part;
    struct Request {
        std::uint32_t first_arg = 0;
        std::uint32_t args = 0;
        std::uint32_t shard = 0;
    };

    /// The shard of a request, or the refusal.
    Result<std::uint32_t> place(std::span<const std::string_view> argv, bool one_key) const;
    std::span<const std::string_view> args_of(const Request& request) const;
    void submit_all(resp::Protocol protocol);
    /// Any thread: the last part to arrive wakes the connection.
    void arrived(Resumer& resumer);
    void collect(resp::Protocol protocol, std::string& out);

    ShardWorkTaker& shards_;
    std::vector<std::string_view> args_;
    std::vector<Request> requests_;
    std::vector<std::string> refusals_;         // of requests that no shard gets, in their order
    std::vector<std::unique_ptr<Part>> parts_;  // by shard
    std::vector<std::size_t> next_reply_;
    std::atomic<std::uint32_t> away_ = 0;
};

}  // namespace ff::host
