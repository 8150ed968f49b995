#pragma once

#include <string>
#include <vector>

namespace ff::service {

/// One thing that is wrong with a submitted graph.
struct GraphProblem {
    std::string code{};
    /// Where in the document: `nodes[2].depends_on[0].data`.
    std::string path{};
    std::string message{};
    /// The nodes on a cycle, in order; empty for anything else.
    std::vector<std::string> names{};

    bool operator==(const GraphProblem&) const = default;
};

/// Everything that is wrong with it, in the order of the document. Bounded: a document of nothing
/// but mistakes is not worth more than a page of them.
class GraphProblems {
  public:
    static constexpr std::size_t kProblemsMax = 200;

    void add(GraphProblem problem) {
        ++count_;
        if (found_.size() < kProblemsMax) found_.push_back(std::move(problem));
    }
    bool empty() const { return count_ == 0; }
    const std::vector<GraphProblem>& found() const { return found_; }

  private:
    std::vector<GraphProblem> found_{};
    std::size_t count_ = 0;
};

}  // namespace ff::service
