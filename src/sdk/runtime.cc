#include "flowfabric/runtime.h"

#include "sdk/runtime_core.h"

namespace flowfabric {

using ff::sdk::RuntimeCore;

Bytes Context::bytes() const {
    Result<Bytes> payload = task_.payload();
    if (!payload) throw PayloadError("the payload cannot be read: " + payload.error().text());
    return *std::move(payload);
}

Json Context::json() const {
    Result<Json> document = Json::parse(bytes());
    if (!document) throw PayloadError("the payload is no JSON: " + document.error().text());
    return *std::move(document);
}

void Context::missing(const char* type) {
    throw MissingData(std::string("nothing of this type was given to the runtime: ") + type);
}

Runtime::Runtime(Worker worker) : core_(std::make_shared<RuntimeCore>(std::move(worker))) {}
Runtime::Runtime(Runtime&&) noexcept = default;
Runtime& Runtime::operator=(Runtime&&) noexcept = default;
Runtime::~Runtime() = default;

Runtime& Runtime::on(std::string kind, Handler handler) {
    core_->handlers[std::move(kind)] = std::move(handler);
    return *this;
}

Runtime& Runtime::put_data(std::type_index type, std::any value) {
    core_->data[type] = std::move(value);
    return *this;
}

Runtime& Runtime::max_concurrent(std::size_t tasks) {
    core_->limit = tasks == 0 ? 1 : tasks;
    return *this;
}

Runtime& Runtime::backoff(Backoff backoff) {
    core_->backoff = backoff;
    return *this;
}

Runtime& Runtime::unknown_kind(UnknownKind what) {
    core_->unknown_kind = what;
    return *this;
}

Result<Done> Runtime::run() {
    return core_->run();
}

void Runtime::start() {
    core_->start();
}

void Runtime::stop(Millis drain_timeout) {
    core_->stop(drain_timeout);
}

Worker& Runtime::worker() {
    return core_->worker;
}

}  // namespace flowfabric
