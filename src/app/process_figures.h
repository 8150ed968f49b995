#pragma once

#include <string>

namespace ff::app {

/// What this process uses, and what it was built from, in the text format of Prometheus, under the
/// names that Prometheus has for every process.
std::string process_figures();

}  // namespace ff::app
