#include "keyspace/value.h"

#include <array>

namespace ff::keyspace {
namespace {

SetValue clone_of(const SetValue& set) {
    SetValue copy;
    copy.reserve(set.size());
    for (const SetMember& member : set.items()) {
        copy.append(SetMember{.bytes = member.bytes.clone()});
    }
    return copy;
}

ListValue clone_of(const ListValue& list) {
    ListValue copy;
    copy.reserve(list.size());
    for (const ByteString& item : list) copy.push_back(item.clone());
    return copy;
}

template <class T>
T clone_of(const T& value) {
    return value.clone();
}

}  // namespace

std::string_view Value::type_name() const {
    static constexpr std::array<std::string_view, 6> kNames = {"string", "hash", "set",
                                                               "list",   "zset", "stream"};
    return kNames[state_.index()];
}

Value Value::clone() const {
    return std::visit(
        [](const auto& held) {
            if constexpr (requires { *held; }) {
                using T = std::remove_cvref_t<decltype(*held)>;
                return Value(State(make_owned<T>(clone_of(*held))));
            } else {
                return Value(State(held.clone()));
            }
        },
        state_);
}

}  // namespace ff::keyspace
