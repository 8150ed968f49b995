#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ff::testing {

/// A new folder that goes with its contents when this object does. Its path is short, so that a
/// unix socket fits in.
class TempDir {
  public:
    TempDir();
    TempDir(TempDir&& other) noexcept;
    TempDir& operator=(TempDir&& other) noexcept;
    ~TempDir();

    const std::filesystem::path& path() const { return path_; }
    /// The path of an entry, as text.
    std::string file(std::string_view name) const { return (path_ / name).string(); }

  private:
    void remove();
    std::filesystem::path path_;
};

/// The whole file; empty when there is none.
std::string read_file(const std::string& path);

}  // namespace ff::testing
