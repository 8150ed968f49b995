#pragma once

#include <memory>

#include "journal/direct_memory.h"
#include "journal/file_system.h"

namespace ff::journal {

/// The real thing. One object may serve every thread.
class PosixFileSystem final : public FileSystem {
  public:
    Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
    Result<Done> rename(const std::string& from, const std::string& to) override;
    Result<Done> remove(const std::string& path) override;
    Result<Done> sync_folder(const std::string& folder) override;
    Result<Done> make_folder(const std::string& folder) override;
    Result<std::vector<std::string>> list(const std::string& folder) override;
    Result<bool> exists(const std::string& path) override;
    Result<std::uint64_t> free_bytes(const std::string& folder) override;
    Result<std::unique_ptr<FileLock>> lock_folder(const std::string& folder) override;
    void prepare_large_writes() override { memory_->prepare(); }

  private:
    std::shared_ptr<DirectMemory> memory_ = std::make_shared<DirectMemory>();
};

}  // namespace ff::journal
