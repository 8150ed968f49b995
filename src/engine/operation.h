#pragma once

#include <concepts>
#include <utility>
#include <vector>

#include "base/task.h"
#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "store/store.h"

namespace ff::engine {

/// An operation is a value: its fields are the request, `write` says them as a function call,
/// `read` understands the reply, and may take long parts out of one that nobody needs any more.
/// Both are pure. `resend_safe` says whether this very call may be
/// sent again by machinery after its reply was lost.
template <class T>
concept Operation = requires(const T& operation, CallWriter& writer, const store::Reply& reply) {
    typename T::Outcome;
    { operation.write(writer) } -> std::same_as<void>;
    { operation.read(reply) } -> std::same_as<Result<typename T::Outcome>>;
    { operation.resend_safe() } -> std::same_as<bool>;
};

template <Operation Op>
store::Call to_call(const Op& operation, Deadline deadline) {
    CommandWriter writer;
    operation.write(writer);
    return store::Call{.command = std::move(writer).take(),
                       .deadline = deadline,
                       .resend_safe = operation.resend_safe()};
}

/// One operation, one function call. The store outlives the task.
template <Operation Op>
Task<typename Op::Outcome> run(store::Store& store, Op operation,
                               Deadline deadline = Deadline::after(store::kCallPatience)) {
    store::Call call = to_call(operation, deadline);
    FF_CO_TRY(store::Reply reply, co_await store.fcall(std::move(call)));
    co_return operation.read(std::move(reply));
}

/// Independent operations at the price of one wait; as many results, in their order.
template <Operation Op>
boost::asio::awaitable<std::vector<Result<typename Op::Outcome>>> run_all(
    store::Store& store, std::vector<Op> operations,
    Deadline deadline = Deadline::after(store::kCallPatience)) {
    std::vector<store::Call> calls;
    calls.reserve(operations.size());
    for (const Op& operation : operations) calls.push_back(to_call(operation, deadline));
    std::vector<Result<store::Reply>> replies = co_await store.pipeline(std::move(calls));
    std::vector<Result<typename Op::Outcome>> outcomes;
    outcomes.reserve(replies.size());
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (replies[i]) {
            outcomes.push_back(operations[i].read(*std::move(replies[i])));
        } else {
            outcomes.push_back(std::move(replies[i]).error());
        }
    }
    co_return outcomes;
}

}  // namespace ff::engine
