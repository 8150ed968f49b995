#include <cstdint>
#include <string>
#include <string_view>

#include "journal/fault_file_system.h"
#include "journal/format.h"
#include "journal/journal.h"

// Whatever stands in a segment behind its head, and whatever a snapshot holds: opening answers, and
// what it repaired opens again.

namespace {

class Nobody final : public ff::journal::RecordVisitor {
  public:
    ff::Result<ff::Done> snapshot_chunk(std::string_view) override { return ff::Done{}; }
    ff::Result<ff::Done> record(std::string_view) override { return ff::Done{}; }
};

void put(ff::journal::FaultyFileSystem& files, const std::string& name, std::string content) {
    const auto file = files.open("shard/" + name, ff::journal::OpenMode::Create);
    if (file) files.overwrite("shard/" + name, std::move(content));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace journal = ff::journal;
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t half = input.empty() ? 0 : static_cast<unsigned char>(input[0]) * size / 256;
    journal::FaultyFileSystem files;
    if (!files.make_folder("shard")) return 0;
    const bool has_snapshot = size % 2 == 0;
    if (has_snapshot) {
        journal::SnapshotHead head{.shard = 0, .segment = 1, .first_record = 1};
        put(files, journal::snapshot_name(1),
            journal::encode_head(head) + std::string(input.substr(0, half)));
    }
    journal::SegmentHead head{.shard = 0, .segment = 1, .first_record = 1};
    put(files, journal::segment_name(1),
        journal::encode_head(head) + std::string(input.substr(half)));
    Nobody nobody;
    if (journal::Journal::open(files, "shard", {.grow_bytes = 512}, nobody)) return 0;
    const bool repaired =
        journal::Journal::open(files, "shard", {.grow_bytes = 512, .repair = true}, nobody)
            .has_value();
    const bool opens =
        journal::Journal::open(files, "shard", {.grow_bytes = 512}, nobody).has_value();
    if (!repaired || !opens) __builtin_trap();
    return 0;
}
