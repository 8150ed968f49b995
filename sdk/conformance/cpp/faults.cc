#include "faults.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

#include "flowfabric/flowfabric.h"

void append(const char* variable, const std::string& line) {
    const char* const path = std::getenv(variable);
    if (path == nullptr) throw std::runtime_error(std::string(variable) + " is not set");
    const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    const std::string text = line + "\n";
    const bool written =
        file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (file >= 0) ::close(file);
    if (!written) throw std::runtime_error(std::string("cannot write to ") + path);
}

void effect(const std::string& what) {
    append("CONFORMANCE_EFFECTS", what);
    append("CONFORMANCE_CALLS", "effect " + what);
}

Faults::Faults() {
    const char* const text = std::getenv("CONFORMANCE_FAULTS");
    const auto given = flowfabric::Json::parse(text == nullptr || *text == '\0' ? "[]" : text);
    if (!given) throw std::runtime_error("CONFORMANCE_FAULTS is no JSON");
    for (const flowfabric::Json& fault : given->items())
        faults_.push_back({.request = fault["request"].integer(),
                           .call = fault["call"].text(),
                           .nth = fault["nth"].integer(),
                           .when = fault["when"].text(),
                           .what = fault["do"].text()});
}

Faults::Place Faults::arrive(const std::string& method, const std::string& path) {
    Place place{.request = method + " " + path, .call = path.substr(path.rfind('/') + 1)};
    // This SDK asks for the steps that are recorded; scenarios mean the call that records one.
    if (method == "GET" && place.call == "steps") place.call = "read-steps";
    const std::lock_guard lock(mutex_);
    place.total = ++total_;
    place.nth = ++by_call_[place.call];
    append("CONFORMANCE_CALLS", place.request);
    return place;
}

bool Faults::befalls(const Place& place, const std::string& when) const {
    if (when == "after") append("CONFORMANCE_CALLS", "replied " + place.request);
    for (const Fault& fault : faults_) {
        const bool here =
            (fault.request != 0 && fault.request == place.total) ||
            (!fault.call.empty() && fault.call == place.call && fault.nth == place.nth);
        if (!here || fault.when != when) continue;
        if (fault.what == "cut") return true;
        if (fault.what == "kill")
            append("CONFORMANCE_CALLS", "killed " + when + " " + place.request);
        ::kill(::getpid(), fault.what == "kill" ? SIGKILL : SIGSTOP);
        // Another thread may take the stop, and this one would get on a little.
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
}
