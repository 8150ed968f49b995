#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

/// Appends a line to the file that a variable of the environment names, in one write.
void append(const char* variable, const std::string& line);
/// A side effect, as the scenarios count them.
void effect(const std::string& what);

/// The faults of sdk/conformance/README.md. Any thread.
class Faults {
  public:
    /// Reads CONFORMANCE_FAULTS.
    Faults();

    /// Which request of the process it is, and which of those whose path ends so.
    struct Place {
        std::string request{};
        std::string call{};
        long total = 0;
        long nth = 0;
    };
    /// A request is about to be sent. `path` without its query.
    Place arrive(const std::string& method, const std::string& path);
    /// What befalls it `before` it is sent or `after` its reply; true cuts its line. May not
    /// return.
    bool befalls(const Place& place, const std::string& when) const;

  private:
    struct Fault {
        long request = 0;
        std::string call{};
        long nth = 0;
        std::string when{};
        std::string what{};
    };
    std::vector<Fault> faults_{};
    std::mutex mutex_{};
    long total_ = 0;
    std::map<std::string, long> by_call_{};
};
