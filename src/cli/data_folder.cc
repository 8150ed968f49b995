#include "cli/commands.h"
#include "cli/try.h"
#include "cli/words.h"

// What can be done with the data of a server that does not run.

namespace ff::cli {

using flowfabric::Json;

namespace {

/// For people; programs get them all.
constexpr std::size_t kShownMost = 20;

Json to_json(const DataDamage& damage) {
    return Json::object({{"file", damage.file},
                         {"offset", damage.offset},
                         {"bytes", damage.bytes},
                         {"what", damage.what},
                         {"copy", damage.copy}});
}

Json to_json(const std::vector<DataDamage>& damage) {
    Json list = Json::array();
    for (const DataDamage& one : damage) list.push(to_json(one));
    return list;
}

Json loss_of(const DataCheck& check) {
    return Json::object({{"records", check.records_lost},
                         {"executions_gone", Json::texts(check.executions_gone)},
                         {"executions_set_back", Json::texts(check.executions_set_back)},
                         {"kept_until", check.kept_until},
                         {"written_until", check.written_until}});
}

Json to_json(const std::string& folder, const DataCheck& check) {
    return Json::object({{"data_dir", folder},
                         {"ok", check.good()},
                         {"shards", check.shards},
                         {"records", check.records},
                         {"executions", check.executions},
                         {"damage", to_json(check.damage)},
                         {"lost", loss_of(check)},
                         {"disagreements", Json::texts(check.disagreements)}});
}

void print(const Session& session, const std::string& head, const std::vector<std::string>& list) {
    if (list.empty()) return;
    session.line(head);
    for (std::size_t i = 0; i < list.size() && i < kShownMost; ++i) session.line("  " + list[i]);
    if (list.size() > kShownMost)
        session.line("  and " + std::to_string(list.size() - kShownMost) + " more (--json)");
}

void print_damage(const Session& session, const std::vector<DataDamage>& damage, bool done) {
    for (const DataDamage& one : damage) {
        std::string line = session.paint("damaged", Colour::Red) + "  " + one.file;
        if (one.bytes > 0)
            line += " from byte " + std::to_string(one.offset) + " on (" +
                    std::to_string(one.bytes) + " bytes)";
        session.line(line + ": " + one.what);
        if (done && !one.copy.empty()) session.line("         kept as " + one.copy);
    }
}

void print_loss(const Session& session, const DataCheck& check) {
    if (check.damage.empty()) return;
    std::string line = "A repair keeps what came before the damage";
    if (check.kept_until > 0) line += ", up to " + time_text(check.kept_until);
    session.line(line + ".");
    line = "It loses ";
    line += check.records_lost > 0 ? std::to_string(check.records_lost) + " acknowledged records"
                                   : std::string("what follows");
    if (check.written_until > 0) line += ", written until " + time_text(check.written_until);
    session.line(line + ".");
    print(session, std::to_string(check.executions_gone.size()) + " executions would be gone:",
          check.executions_gone);
    print(session,
          std::to_string(check.executions_set_back.size()) +
              " executions would be as they were before:",
          check.executions_set_back);
}

void print_summary(const Session& session, const DataCheck& check) {
    session.line(std::to_string(check.shards) + " shards, " + std::to_string(check.records) +
                 " records, " + std::to_string(check.executions) + " executions: " +
                 (check.good() ? session.paint("all good", Colour::Green)
                               : session.paint("not good", Colour::Red)));
}

}  // namespace

int run_verify(Session& session, const Arguments& arguments) {
    const std::string folder = arguments.text("data-dir");
    FF_CLI_TRY(const DataCheck check, session.programs().check_data(folder));
    if (session.json()) {
        session.print_json(to_json(folder, check));
        return check.good() ? kDone : kFailed;
    }
    print_damage(session, check.damage, false);
    print_loss(session, check);
    print(session, "Executions that do not agree with themselves:", check.disagreements);
    print_summary(session, check);
    return check.good() ? kDone : kFailed;
}

int run_repair(Session& session, const Arguments& arguments) {
    const std::string folder = arguments.text("data-dir");
    const bool wanted = arguments.has("yes") || arguments.has("apply");
    if (wanted && arguments.has("dry-run"))
        return session.usage(mistake("Give --dry-run or --yes, not both."));
    FF_CLI_TRY(const DataCheck check, session.programs().check_data(folder));
    Json document = to_json(folder, check);
    const bool needed = !check.damage.empty();
    std::vector<DataDamage> done;
    if (needed && wanted) {
        FF_CLI_TRY(done, session.programs().repair_data(folder));
    }
    if (session.json()) {
        document.set("repaired", to_json(done));
        session.print_json(document);
        return needed && !wanted ? kFailed : kDone;
    }
    print_damage(session, needed && wanted ? done : check.damage, needed && wanted);
    print_loss(session, check);
    print_summary(session, check);
    if (!needed) session.line("There is nothing to repair.");
    if (needed && wanted) session.line("It is repaired.");
    if (needed && !wanted) session.line("Nothing was changed; --yes repairs it.");
    return needed && !wanted ? kFailed : kDone;
}

}  // namespace ff::cli
