#include "api/pool.h"

#include "model/error_catalogue.h"

namespace ff::api {

Pool::Pool(std::string name, std::size_t size)
    : name_(std::move(name)), size_(size), used_(std::make_shared<std::size_t>(0)) {}

Result<Pool::Permit> Pool::take() {
    if (closed_) {
        Error error = model::make_error("shutting_down");
        error.message = "the server is shutting down";
        return error;
    }
    if (*used_ >= size_) {
        ++rejected_;
        Error error = model::make_error("too_many_requests", {name_, std::to_string(size_)});
        error.message = "the pool " + name_ + " of " + std::to_string(size_) + " is full";
        return error;
    }
    ++*used_;
    return Permit(used_);
}

Pool::Permit& Pool::Permit::operator=(Permit&& other) noexcept {
    if (this == &other) return *this;
    give_back();
    used_ = std::move(other.used_);
    return *this;
}

Pool::Permit::~Permit() {
    give_back();
}

void Pool::Permit::give_back() {
    if (used_) --*used_;
    used_.reset();
}

}  // namespace ff::api
