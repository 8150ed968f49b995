#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "contract/host.h"

namespace ff::contract {

/// A reply as the texts of its elements, numbers in decimal; a bare reply is one element. Nested
/// arrays are rendered as text.
List flat(const RespValue& reply);
/// Element n counted from 1, as the specification counts; empty beyond the end.
std::string element(const RespValue& reply, std::size_t n);
/// A flat reply of fields and values, or a RESP3 map.
std::map<std::string, std::string> pairs(const RespValue& reply);

/// A new lower-case UUID.
std::string new_uuid();

/// One test on one host, in a partition that no other test of the program uses.
class Contract : public ::testing::TestWithParam<HostKind> {
  protected:
    Contract();

    Host& host() const { return host_; }
    /// The hash tag of this test, `{fp:N}`.
    const std::string& tag() const { return tag_; }
    /// A tag that is used nowhere else.
    std::string another_tag() const;

    RespValue command(const List& args) const { return host_.command(args); }
    std::int64_t now() const { return host_.now(); }

    std::string index(std::string_view name) const;
    std::string lane_index(std::string_view lane, std::string_view name) const;
    std::string noop() const { return "ff:noop:" + tag_; }

    /// Score of a member; nothing if it is not in there.
    std::optional<std::int64_t> score(const std::string& zset, const std::string& member) const;
    bool in_set(const std::string& set, const std::string& member) const;
    bool exists(const std::string& key) const;
    std::map<std::string, std::string> hash(const std::string& key) const;
    /// The entries of a stream, oldest first.
    std::vector<std::map<std::string, std::string>> entries(const std::string& stream) const;
    /// The entries of this partition's event feed of one family.
    std::vector<std::map<std::string, std::string>> feed(std::string_view family) const;

    /// Waits for the store's clock or another of its states; fails the test when it does not come.
    void await(const std::function<bool()>& condition) const;
    void await_time(std::int64_t ms) const;

  private:
    Host& host_;
    std::string tag_;
};

/// Declares a suite named `Suite` on every host.
#define FF_CONTRACT_SUITE(Suite, Base)                               \
    class Suite : public Base {};                                    \
    INSTANTIATE_TEST_SUITE_P(                                        \
        On, Suite, ::testing::ValuesIn(::ff::contract::all_hosts()), \
        [](const auto& info) { return std::string(::ff::contract::to_string(info.param)); })

}  // namespace ff::contract
