#include "host/value_sink.h"

namespace ff::host {
namespace {

resp::Value closed(resp::Type type, resp::Value::Items items) {
    if (type == resp::Type::Map) return resp::Value::map(std::move(items));
    if (type == resp::Type::Set) return resp::Value::set(std::move(items));
    return resp::Value::array(std::move(items));
}

}  // namespace

void ValueSink::open(resp::Type type, std::size_t count) {
    if (count == 0) {
        deliver(closed(type, {}));
        return;
    }
    Open& top = open_.emplace_back(Open{.type = type, .left = count});
    top.items.reserve(count);
}

void ValueSink::deliver(resp::Value value) {
    while (!open_.empty()) {
        Open& top = open_.back();
        top.items.push_back(std::move(value));
        if (--top.left > 0) return;
        value = closed(top.type, std::move(top.items));
        open_.pop_back();
    }
    value_ = std::move(value);
}

}  // namespace ff::host
