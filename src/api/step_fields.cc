#include "api/step_fields.h"

#include <utility>

#include "model/step_name.h"

namespace ff::api {
namespace {

constexpr std::size_t kEncodingMost = 256;

Result<engine::Step> parse_step(const Fields& item) {
    FF_CHECK(item.only({"name", "value", "value_base64", "encoding"}));
    FF_TRY(model::StepName name, item.id<model::StepName>("name"));
    engine::Step step{.name = std::move(name).take_text()};
    FF_TRY(std::optional<Bytes> value, item.bytes_if("value"));
    if (!value) return item.refuse("value", "missing");
    step.value = *std::move(value);
    FF_TRY(step.encoding, item.text_or("encoding", "", {.most = kEncodingMost}));
    return step;
}

}  // namespace

Result<std::vector<engine::Step>> parse_steps(const Fields& body, std::size_t least) {
    FF_TRY(const std::vector<Fields> items,
           body.objects("steps", {.least = least, .most = engine::Step::kPerCallMax}));
    std::vector<engine::Step> steps;
    steps.reserve(items.size());
    for (const Fields& item : items) {
        FF_TRY(engine::Step step, parse_step(item));
        steps.push_back(std::move(step));
    }
    return steps;
}

void write_step(json::Writer& out, const engine::Step& step) {
    out.key("name").string(step.name);
    write_bytes(out, "value", step.value);
    if (!step.encoding.empty()) out.key("encoding").string(step.encoding);
}

FieldDoc steps_doc(bool required) {
    return {
        .name = "steps",
        .kind = FieldDoc::Kind::Array,
        .type = "[NewStep]",
        .required = required,
        .about = "At most 64 of name, value or value_base64, encoding; the first of a name stays",
        .example = R"([{"name":"charge","value":"paid"}])"};
}

}  // namespace ff::api
