#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "journal/file_system.h"

namespace ff::host {

/// Function libraries of a data folder, one file each.
class LibraryFiles {
  public:
    /// `files` outlives this.
    LibraryFiles(journal::FileSystem& files, std::string folder)
        : files_(files), folder_(std::move(folder)) {}

    /// The texts, in the order of their names.
    Result<std::vector<std::string>> read() const;
    /// Durable when it returns; replaces one of the same name. `name` is a function name.
    Result<Done> write(std::string_view name, std::string_view text) const;

  private:
    journal::FileSystem& files_;
    std::string folder_;
};

}  // namespace ff::host
