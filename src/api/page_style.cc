#include "api/page_style.h"

#include "base/bytes.h"
#include "base/digest.h"

namespace ff::api {
namespace {

constexpr std::string_view kStyle = R"css(
:root {
  color-scheme: light dark;
  --ground: #f3f5f8; --sheet: #fff; --text: #16202c; --quiet: #566373; --line: #d5dce5;
  --field: #fff; --edge: #8492a3; --yes: #0f6b4a; --yes-over: #0b573c; --on-yes: #fff;
  --no: #a5263a; --no-over: #fdeef0; --focus: #1f5fd0; --wrong: #a5263a; --soft: #f6f8fa;
  --good: #e5f4ec; --bad: #fbe9ec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0f151c; --sheet: #18212b; --text: #e8edf3; --quiet: #a5b2c1; --line: #303c4a;
    --field: #111921; --edge: #74839a; --yes: #4cc38f; --yes-over: #6ad3a5; --on-yes: #06251a;
    --no: #ff9aa8; --no-over: #33202a; --focus: #8ab4ff; --wrong: #ff9aa8; --soft: #111921;
    --good: #12352a; --bad: #3a1f28;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; padding: 1.25rem 1rem 2rem; background: var(--ground);
  color: var(--text); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
}
main, footer { max-width: 42rem; margin: 0 auto; }
main {
  background: var(--sheet); border: 1px solid var(--line); border-radius: 14px; padding: 1.25rem;
  box-shadow: 0 1px 2px rgb(0 0 0 / 6%), 0 8px 24px rgb(0 0 0 / 5%);
}
footer { padding: 1rem .25rem 0; color: var(--quiet); font-size: .875rem; }
.eyebrow { margin: 0 0 .25rem; color: var(--quiet); font-size: .875rem; }
h1 { margin: 0; font-size: 1.45rem; line-height: 1.3; letter-spacing: -.01em; overflow-wrap: anywhere; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1rem; }
.prompt { margin: .75rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; }
dl { margin: 1rem 0 0; display: grid; gap: .15rem 1rem; grid-template-columns: auto 1fr; font-size: .9375rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
.late { color: var(--wrong); font-weight: 600; }
pre {
  margin: 0; padding: .85rem 1rem; max-height: 24rem; overflow: auto; white-space: pre-wrap;
  overflow-wrap: anywhere; background: var(--soft); border: 1px solid var(--line); border-radius: 10px;
  font: .875rem/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
form { margin: 1.5rem 0 0; padding: 1.25rem 0 0; border-top: 1px solid var(--line); }
form h2 { margin-top: 0; }
.field { margin: 0 0 1.1rem; }
label { display: block; font-weight: 600; margin: 0 0 .3rem; overflow-wrap: anywhere; }
label span { color: var(--quiet); font-weight: 400; font-size: .875rem; }
.hint { margin: 0 0 .4rem; color: var(--quiet); font-size: .875rem; overflow-wrap: anywhere; }
.problem { margin: .35rem 0 0; color: var(--wrong); font-weight: 600; font-size: .9375rem; }
input, select, textarea {
  display: block; width: 100%; min-height: 2.75rem; padding: .55rem .75rem; color: inherit;
  background: var(--field); border: 1px solid var(--edge); border-radius: 9px; font: inherit;
}
textarea { min-height: 5.5rem; resize: vertical; }
[aria-invalid] { border-color: var(--wrong); border-width: 2px; }
.flag { display: grid; grid-template-columns: auto 1fr; gap: 0 .75rem; align-items: center; }
.flag input { width: 1.4rem; min-height: 0; height: 1.4rem; margin: 0; accent-color: var(--yes); }
.flag label { margin: 0; padding: .55rem 0; }
.flag .hint, .flag .problem { grid-column: 2; }
.answers { display: grid; gap: .75rem; margin: 1.5rem 0 0; }
button {
  min-height: 3rem; padding: .6rem 1.25rem; border-radius: 10px; font: inherit; font-weight: 650;
  cursor: pointer; border: 1.5px solid var(--no); color: var(--no); background: transparent;
}
button:hover { background: var(--no-over); }
button.yes { border-color: var(--yes); background: var(--yes); color: var(--on-yes); }
button.yes:hover { border-color: var(--yes-over); background: var(--yes-over); }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; }
a { color: var(--focus); }
.notice { margin: 0 0 1.25rem; padding: .8rem 1rem; border-radius: 10px; background: var(--bad); }
.notice p { margin: 0; }
.verdict {
  display: inline-block; margin: 0 0 .85rem; padding: .2rem .7rem; border-radius: 99px;
  font-size: .875rem; font-weight: 650;
}
.verdict.approved { background: var(--good); color: var(--yes); }
.verdict.rejected { background: var(--bad); color: var(--no); }
.quiet { margin: .6rem 0 0; color: var(--quiet); }
@media (min-width: 40rem) {
  body { padding: 3.5rem 1.5rem; }
  main { padding: 2rem 2.25rem; }
  h1 { font-size: 1.7rem; }
  .answers { grid-template-columns: 1fr 1fr; }
}
)css";

std::string make_policy() {
    const Bytes digest = from_hex(sha256_hex(kStyle)).value_or("");
    return "default-src 'none'; style-src 'sha256-" + to_base64(digest) +
           "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
}

}  // namespace

std::string_view page_style() {
    return kStyle;
}

const std::string& page_policy() {
    static const std::string policy = make_policy();
    return policy;
}

}  // namespace ff::api
