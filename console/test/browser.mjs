// The console in a real browser against the built server: browser.mjs <flowfabric program> [pattern of names] [--full]
//
// Nothing is played: pages are filled over the API, changed over the page, and looked at over the API.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { chromium } from "playwright-core";

const program = process.argv[2];
const full = process.argv.includes("--full");
const only = new RegExp(process.argv[3] && process.argv[3] !== "--full" ? process.argv[3] : ".");
const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!browserPath) {
    console.error("console: no Chromium here; scripts/install-deps.sh brings it");
    process.exit(1);
}
const PATIENCE_MS = 15_000;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

async function freePort() {
    const server = createServer();
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address();
    await new Promise((done) => server.close(done));
    return port;
}

class Server {
    constructor(env = {}, port = 0) {
        this.env = env;
        this.port = port;
    }
    async start() {
        this.port ||= await freePort();
        this.url = `http://127.0.0.1:${this.port}`;
        this.process = spawn(program, ["server", `--listen-addr=127.0.0.1:${this.port}`, "--data-dir=:memory:"], {
            env: { PATH: process.env.PATH, FF_LANES: "default,mail", FF_FLOW_PARTITIONS: "16", FF_LOG: "error", ...this.env },
            stdio: ["ignore", "pipe", "ignore"],
        });
        await new Promise((done, refuse) => {
            this.process.stdout.on("data", (text) => String(text).includes("serving") && done());
            this.process.on("exit", (code) => refuse(new Error(`the server ended with ${code}`)));
        });
        return this;
    }
    async stop() {
        const ended = new Promise((done) => this.process.on("exit", done));
        this.process.kill("SIGKILL");
        await ended;
    }
    async call(method, path, body) {
        const headers = { "Content-Type": "application/json" };
        if (this.env.FF_API_TOKEN) headers.Authorization = `Bearer ${this.env.FF_API_TOKEN}`;
        const reply = await fetch(this.url + path, { method, headers, body: body && JSON.stringify(body) });
        const text = await reply.text();
        assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`);
        return text.startsWith("{") ? JSON.parse(text) : text;
    }
    create = async (more = {}) =>
        (
            await this.call("POST", "/v1/executions", {
                namespace: "default",
                lane_id: "default",
                execution_kind: "plain",
                payload: "{}",
                ...more,
            })
        ).execution_id;
    claim = async (lane = "default") =>
        (await this.call("POST", "/v1/workers/w/tasks/claim", { worker_instance_id: "w-1", lanes: [lane], max_tasks: 1, wait_ms: 5000 }))
            .tasks[0];
    on = (id, route, body) => this.call(body === undefined ? "GET" : "POST", `/v1/executions/${encodeURIComponent(id)}${route}`, body);
    state = async (id) => (await this.on(id, "/state")).public_state;
}

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

/** A page that remembers everything that should not happen. */
async function open(server, hash, options = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.complaints = [];
    page.foreign = [];
    page.on("pageerror", (error) => page.complaints.push(String(error)));
    page.on(
        "console",
        (message) => /Content Security Policy|TrustedHTML|violates/i.test(message.text()) && page.complaints.push(message.text()),
    );
    page.on(
        "request",
        (request) => new URL(request.url()).origin !== server.url && !request.url().startsWith("blob:") && page.foreign.push(request.url()),
    );
    page.on("dialog", (dialog) => {
        page.complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
    });
    await page.goto(`${server.url}/console/${hash}`);
    return page;
}

async function close(page) {
    assert.deepEqual(page.complaints, [], "the page complained");
    assert.deepEqual(page.foreign, [], "the page asked somebody else");
    await page.context().close();
}

async function until(what, holds) {
    const end = Date.now() + PATIENCE_MS;
    while (!(await holds())) {
        assert.ok(Date.now() < end, `in vain: ${what}`);
        await new Promise((done) => setTimeout(done, 50));
    }
}

const tests = [];
const test = (name, run) => only.test(name) && tests.push({ name, run });
const shows = (page, text) => page.getByText(text).first().waitFor();
const answerDialog = async (page, action, fields = {}) => {
    const dialog = page.locator("dialog[open]");
    for (const [label, value] of Object.entries(fields)) await dialog.getByLabel(label).fill(value);
    await dialog.getByRole("button", { name: action, exact: true }).click();
    await dialog.waitFor({ state: "detached" });
};
async function suspended(server, kind, more = {}, approval = {}) {
    const id = await server.create({ execution_kind: kind, ...more });
    const task = await server.claim(more.lane_id);
    assert.equal(task.execution_id, id);
    await server.on(id, "/suspend", {
        task_token: task.task_token,
        reason_code: "waiting_for_approval",
        signals: ["approved", "rejected"],
        match: "any",
        timeout_ms: 600000,
        timeout_behavior: "fail",
        approval: {
            prompt: `Publish ${kind}?`,
            assignees: ["group:editors"],
            context: `context of ${kind}`,
            context_type: "text/plain",
            ...approval,
        },
    });
    return id;
}
async function failed(server, reason, more = {}) {
    const id = await server.create(more);
    const task = await server.claim(more.lane_id);
    await server.on(id, "/fail", { task_token: task.task_token, reason, category: "broken", no_retry: true });
    return id;
}
// What somebody might write in the hope that it is taken for more than text.
const EVIL = `"><img src=x onerror=alert(1)><script>alert(2)</script>{{7*7}}`;
const exec = (id) => `#/executions/${encodeURIComponent(id)}`;

test("the list shows executions, follows them live and collects new ones", async (server) => {
    const id = await server.create({ execution_kind: "followed" });
    const page = await open(server, "#/executions");
    const row = page.locator(`tr[data-id="${id}"]`);
    await row.getByText("waiting").waitFor();
    const task = await server.claim();
    await row.getByText("active").waitFor();
    await server.on(id, "/complete", { task_token: task.task_token, result: "{}" });
    await row.getByText("completed").waitFor();
    await server.create({ execution_kind: "newcomer", tags: { a: "b" } });
    await page.getByRole("button", { name: "1 new" }).click();
    await shows(page, "newcomer");
    await close(page);
});

test("many executions are picked, previewed, cancelled and run again, and who refuses is named", async (server) => {
    const ids = [];
    for (let at = 0; at < 4; at += 1) ids.push(await server.create({ execution_kind: "many" }));
    const page = await open(server, "#/executions?q=kind:many");
    const boxes = page.getByRole("checkbox", { name: /^Pick many/ });
    await until("the rows", async () => (await boxes.count()) === 4);
    await boxes.nth(0).click();
    await boxes.nth(2).click({ modifiers: ["Shift"] });
    const bar = page.getByRole("region", { name: "What is picked" });
    await bar.getByText("3 picked").waitFor();
    await page.getByLabel("Pick all rows that are shown").check();
    await bar.getByRole("button", { name: "Cancel" }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByRole("heading", { name: "Cancel 4 executions?" }).waitFor();
    await dialog.getByText("4 waiting").waitFor();
    await page.evaluate(axe);
    assert.deepEqual(await violations(page), []);
    const task = await server.claim();
    await server.on(task.execution_id, "/complete", { task_token: task.task_token, result: "{}" });
    await dialog.getByLabel("Reason").fill("all of them");
    await dialog.getByRole("button", { name: "Cancel them" }).click();
    await dialog.getByText("3 executions cancelled. 1 refused.").waitFor();
    await dialog.getByRole("link", { name: task.execution_id.slice(-12) }).waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    const states = async () => (await Promise.all(ids.map((id) => server.state(id)))).sort();
    assert.deepEqual(await states(), ["cancelled", "cancelled", "cancelled", "completed"]);
    assert.equal(
        (
            await server.on(
                ids.find((id) => id !== task.execution_id),
                "",
            )
        ).cancellation_reason,
        "all of them",
    );
    await page.locator("tr.picked").first().waitFor({ state: "detached" });
    await page.keyboard.press("j");
    await page.keyboard.press("x");
    await bar.getByText("1 picked").waitFor();
    await bar.getByRole("button", { name: "All that match" }).click();
    await bar.getByRole("button", { name: "Run again" }).click();
    await dialog.getByRole("heading", { name: "Run 4 executions again?" }).waitFor();
    await dialog.getByRole("button", { name: "Run them again" }).click();
    await dialog.getByText("4 executions queued again.").waitFor();
    assert.deepEqual(await states(), ["waiting", "waiting", "waiting", "waiting"]);
    await close(page);
});

test("the list goes over all namespaces, or one that is asked for", async (server) => {
    await server.create({ execution_kind: "ours" });
    await server.create({ execution_kind: "theirs", namespace: "team" });
    const page = await open(server, "#/executions");
    await shows(page, "ours");
    await shows(page, "theirs");
    await page.getByLabel("Filter").fill("ns:team");
    await page.keyboard.press("Enter");
    await page.getByText("ours").waitFor({ state: "detached" });
    await shows(page, "theirs");
    await close(page);
});

test("what matches is exported as a JSON object a line", async (server) => {
    const ids = [await server.create({ execution_kind: "kept" }), await server.create({ execution_kind: "kept" })];
    await server.create({ execution_kind: "other" });
    const page = await open(server, "#/executions?q=kind:kept");
    await shows(page, "2 shown");
    const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Export" }).click()]);
    const rows = readFileSync(await file.path(), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).execution_id);
    assert.deepEqual(rows.sort(), ids.sort());
    await close(page);
});

test("filters survive a reload and a shared link, and say what they do not know", async (server) => {
    await failed(server, "boom", { execution_kind: "bad_one" });
    await server.create({ execution_kind: "mailing", lane_id: "mail" });
    const page = await open(server, "#/executions");
    await page.getByLabel("Filter").fill("state:failed");
    await page.keyboard.press("Enter");
    await shows(page, "bad_one");
    assert.equal(await page.getByText("mailing").count(), 0);
    await page.reload();
    await shows(page, "bad_one");
    assert.equal(await page.getByLabel("Filter").inputValue(), "state:failed");
    const other = await open(server, new URL(page.url()).hash);
    await shows(other, "bad_one");
    await other.getByLabel("Filter").fill("lane:mail colour:red");
    await other.keyboard.press("Enter");
    await shows(other, "“colour:red” is no filter");
    await shows(other, "mailing");
    await close(other);
    await close(page);
});

test("an execution says why it waits, and each of its actions does what it says", async (server) => {
    const id = await server.create({ execution_kind: "acted_on", priority: 10, tags: { tenant: "acme" } });
    const page = await open(server, exec(id));
    await shows(page, "Waits because");
    await page.getByRole("button", { name: "Priority" }).click();
    await answerDialog(page, "Change it", { Priority: "77" });
    await until("the priority", async () => (await server.on(id, "")).priority === 77);
    await page.getByRole("button", { name: "Undo" }).click();
    await until("the undone priority", async () => (await server.on(id, "")).priority === 10);
    await page.getByRole("button", { name: "Tags", exact: true }).click();
    await answerDialog(page, "Save", { Tags: "tenant=acme\ndemo.region=eu" });
    await until("the tag", async () => (await server.on(id, "/tags"))["demo.region"] === "eu");
    await page.getByRole("button", { name: "Cancel", exact: true }).click();
    await answerDialog(page, "Cancel it", { Reason: "not needed" });
    assert.equal(await server.state(id), "cancelled");
    await shows(page, "Cancelled: not needed");
    await page.getByRole("button", { name: "Run again" }).click();
    await answerDialog(page, "Run it again");
    await until("the replay", async () => (await server.state(id)) === "waiting");
    const task = await server.claim();
    await page.getByRole("button", { name: "Revoke lease" }).click();
    await answerDialog(page, "Revoke the lease");
    await until("the lease", async () => (await server.on(id, "")).state_vector.ownership_state !== "leased");
    assert.ok(task);
    await server.on(id, "/cancel", { reason: "end of the test" });
    await close(page);
});

test("output appears while it is written, as text and as frames, and can be searched", async (server) => {
    const id = await server.create({ execution_kind: "talker" });
    const task = await server.claim();
    const page = await open(server, exec(id));
    const say = (...words) =>
        server.on(id, `/attempts/${task.attempt_index}/stream`, {
            lease_id: task.lease_id,
            lease_epoch: task.lease_epoch,
            attempt_id: task.attempt_id,
            frames: words.map((payload) => ({ frame_type: "token", payload })),
        });
    await shows(page, "No output yet");
    await say("Once ", "upon ", "a time");
    await page.getByRole("log").getByText("Once upon a time").waitFor();
    await say(" there was");
    await page.getByRole("log").getByText("Once upon a time there was").waitFor();
    await page.getByRole("tab", { name: "Frames" }).click();
    await page.getByLabel("Search the output").fill("upon");
    await until("one row", async () => (await page.locator(".frames tr").count()) === 1);
    await server.on(id, "/complete", { task_token: task.task_token, result: JSON.stringify({ pages: 3 }) });
    await shows(page, "Completed after one attempt");
    await page.getByRole("tab", { name: "Result" }).click();
    await shows(page, "pages");
    await close(page);
});

test("a summary is shown beside the frames, as it is now", async (server) => {
    const id = await server.create({ execution_kind: "summing" });
    const task = await server.claim();
    const patch = (document) =>
        server.on(id, `/attempts/${task.attempt_index}/stream`, {
            lease_id: task.lease_id,
            lease_epoch: task.lease_epoch,
            attempt_id: task.attempt_id,
            mode: "summary",
            frames: [{ frame_type: "delta", payload: JSON.stringify(document) }],
        });
    await patch({ title: "Report", pages: 1 });
    const page = await open(server, `${exec(id)}?view=summary`);
    await shows(page, '"Report"');
    await patch({ pages: 44 });
    await page.locator(".summary").getByText("44").waitFor();
    await page.locator(".summary").getByText("version 2").waitFor();
    await server.on(id, "/complete", { task_token: task.task_token, result: "{}" });
    await close(page);
});

test("bytes that are no text are shown as hex", async (server) => {
    const id = await server.create({
        execution_kind: "raw",
        payload: undefined,
        payload_base64: Buffer.from([0, 255, 1, 65]).toString("base64"),
    });
    const page = await open(server, `${exec(id)}?tab=payload`);
    await shows(page, "00 ff 01 41");
    await server.on(id, "/cancel", { reason: "end of the test" });
    await close(page);
});

test("approvals are answered from the inbox, also by keys alone, and leave it by themselves", async (server) => {
    const first = await suspended(server, "first_ask");
    const second = await suspended(server, "second_ask");
    const page = await open(server, "#/approvals");
    await page.getByRole("link", { name: /Publish first_ask/ }).click();
    await shows(page, "context of first_ask");
    await page.getByRole("button", { name: /^Approve/ }).click();
    await answerDialog(page, "Approve", { "Your name": "maria" });
    await until("the approval", async () => (await server.state(first)) !== "suspended");
    const { signals } = await server.on(first, "/signals");
    assert.deepEqual([signals[0].signal_name, signals[0].source_identity], ["approved", "maria"]);
    await page.getByRole("link", { name: /Publish first_ask/ }).waitFor({ state: "detached" });
    await page.getByRole("heading", { name: "Publish second_ask?" }).waitFor();
    await page.locator("body").click({ position: { x: 700, y: 5 } });
    await page.keyboard.press("x");
    await page.locator("dialog[open]").waitFor();
    await page.keyboard.press("Enter");
    await until("the rejection", async () => (await server.state(second)) !== "suspended");
    assert.equal((await server.on(second, "/signals")).signals[0].signal_name, "rejected");
    await shows(page, "The inbox is empty");
    for (const id of [first, second]) await server.on(id, "/cancel", { reason: "end of the test" });
    await close(page);
});

test("a link to one approval opens that one", async (server) => {
    await suspended(server, "other_ask");
    const id = await suspended(server, "linked_ask");
    const { waitpoints } = await server.on(id, "/pending-waitpoints?tokens=omit");
    const page = await open(server, `#/approvals?id=${waitpoints[0].waitpoint_id}`);
    await page.getByRole("heading", { name: "Publish linked_ask?" }).waitFor();
    await close(page);
});

test("an approval takes a comment, counts its answers, and stands on a page of its own", async (server) => {
    const id = await server.create({ execution_kind: "two_people" });
    const task = await server.claim();
    await server.on(id, "/suspend", {
        task_token: task.task_token,
        reason_code: "waiting_for_approval",
        resume_condition: {
            condition_type: "signal_set",
            required_signal_names: ["approved"],
            signal_match_mode: "any",
            minimum_signal_count: 2,
        },
        timeout_ms: 600000,
        timeout_behavior: "fail",
        approval: { prompt: "Release it?" },
    });
    const page = await open(server, "#/approvals");
    await page.getByRole("link", { name: "Open alone" }).click();
    await page.getByRole("heading", { name: "Release it?" }).waitFor();
    const answer = async (name, comment) => {
        await page.getByRole("button", { name: /^Approve/ }).click();
        await answerDialog(page, "Approve", { "Your name": name, Comment: comment });
    };
    await answer("maria", "");
    await shows(page, "1 of 2 answers");
    await answer("maria", "");
    await shows(page, "it counts once");
    assert.equal((await server.on(id, "/suspension/condition")).remaining, 1);
    await answer("otto", "Looks good to me.");
    await shows(page, "It has been answered");
    assert.equal(await server.state(id), "waiting");
    const { signals } = await server.on(id, "/resume-signals?attempt_index=0");
    assert.deepEqual(
        signals.map((signal) => [signal.source_identity, signal.source_type, signal.payload]),
        [
            ["maria", "operator", undefined],
            ["otto", "operator", JSON.stringify({ comment: "Looks good to me." })],
        ],
    );
    await page.getByRole("link", { name: "Open the execution" }).click();
    await shows(page, "Looks good to me.");
    await close(page);
});

test("an approval asks what its form says, and the execution gets it with its types", async (server) => {
    const form = {
        type: "object",
        required: ["amount"],
        properties: { amount: { type: "number", title: "Amount" }, goodwill: { type: "boolean" }, [EVIL]: { type: "string", title: EVIL } },
    };
    const id = await suspended(server, "with_form", {}, { form });
    const page = await open(server, "#/approvals");
    await page.getByRole("button", { name: /^Approve/ }).click();
    const dialog = page.locator("dialog[open]");
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await dialog.getByText("“Amount” is needed.").waitFor();
    await dialog.getByLabel("goodwill").selectOption("yes");
    await answerDialog(page, "Approve", { Amount: "12.5", "Your name": "maria", Comment: "Fair." });
    await until("the approval", async () => (await server.state(id)) === "waiting");
    const { signals } = await server.on(id, "/resume-signals?attempt_index=0");
    assert.deepEqual(JSON.parse(signals[0].payload), { amount: 12.5, goodwill: true, comment: "Fair." });
    await page.goto(`${server.url}/console/${exec(id)}?tab=signals`);
    await shows(page, "Fair.");
    const other = await suspended(server, "refused", { lane_id: "mail" }, { form });
    await page.goto(`${server.url}/console/#/approvals`);
    await page.getByRole("button", { name: /^Reject/ }).click();
    await answerDialog(page, "Reject");
    await until("the rejection", async () => (await server.state(other)) !== "suspended");
    await close(page);
});

test("a link is made for somebody without an account, and withdrawn", async (server) => {
    await suspended(server, "for_a_guest");
    const page = await open(server, "#/approvals");
    await page.getByRole("button", { name: "Answer link" }).click();
    await answerDialog(page, "Make the link", { "For whom": "the auditor", "Good for days": "2" });
    const told = await page.locator(".toasts").getByText("The link is copied").innerText();
    const url = /https?:\S+/.exec(told)[0];
    const answered = await (await fetch(url)).text();
    assert.match(answered, /Publish for_a_guest\?/);
    await page.getByRole("button", { name: "Undo" }).click();
    await shows(page, "Undone.");
    assert.doesNotMatch(await (await fetch(url)).text(), /Publish for_a_guest\?/);
    await close(page);
});

test("approvals are narrowed down by namespace and by tag, and the link says so", async (server) => {
    await suspended(server, "of_acme", { tags: { tenant: "acme" } });
    await suspended(server, "of_globex", { tags: { tenant: "globex" } });
    await suspended(server, "elsewhere", { namespace: "other", tags: { tenant: "acme" } });
    const page = await open(server, "#/approvals");
    const asks = page.getByRole("link", { name: /^Publish/ });
    await until("all three", async () => (await asks.count()) === 3);
    await page.getByLabel("Tag").fill("tenant:acme");
    await page.keyboard.press("Enter");
    await until("those of acme", async () => (await asks.count()) === 2);
    await page.getByLabel("Namespace").selectOption("other");
    await until("the other one", async () => (await asks.count()) === 1);
    await page.reload();
    await page.getByRole("link", { name: "Publish elsewhere?" }).waitFor();
    assert.equal(await asks.count(), 1);
    await page.getByLabel("Tag").fill("acme");
    await page.keyboard.press("Enter");
    await shows(page, "takes a key and a value");
    await close(page);
});

test("an execution shows its steps, its children, its usage against its budgets and its history", async (server) => {
    const { budget_id } = await server.call("POST", "/v1/budgets", {
        scope_type: "lane",
        scope_id: "default",
        dimensions: ["tokens"],
        hard_limits: [1000],
        soft_limits: [800],
    });
    const id = await server.create({ execution_kind: "parent", policy: { budget_ids: [budget_id] } });
    const task = await server.claim();
    await server.on(id, "/steps", { task_token: task.task_token, steps: [{ name: "load", value: "forty rows" }] });
    await server.on(id, "/usage", { task_token: task.task_token, dimensions: { tokens: 120 }, dedup_key: "once" });
    await server.on(id, "/call-children", {
        task_token: task.task_token,
        on_child_failure: "continue",
        children: [{ name: "north", execution_kind: "part", payload: "{}" }],
    });
    const page = await open(server, exec(id));
    await page.getByRole("tab", { name: "Steps 1" }).click();
    await shows(page, "forty rows");
    await page.getByRole("tab", { name: "Children 1" }).click();
    const row = page.getByRole("row", { name: /north/ });
    await row.getByText("waiting").waitFor();
    const part = await server.claim();
    await row.getByText("active").waitFor();
    await server.on(part.execution_id, "/complete", { task_token: part.task_token, result: "the sum" });
    await row.getByText("the sum").waitFor();
    assert.equal(await page.locator(".wf-label a", { hasText: "north" }).count(), 1);
    await row.getByRole("link").first().click();
    await page.getByRole("heading", { name: /part/ }).waitFor();
    await page.locator(".facts div", { hasText: "Called by" }).getByText("as north").waitFor();
    await page.locator(".facts div", { hasText: "Called by" }).getByRole("link").click();
    await page.getByRole("heading", { name: /parent/ }).waitFor();
    await page.getByRole("tab", { name: "Usage" }).click();
    await page.getByRole("region", { name: "Budget of lane default" }).getByText("120 by this execution").waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    await shows(page, "step load");
    await shows(page, "attempt 1, waiting children");
    await page.getByRole("tab", { name: "Raw" }).click();
    await page.getByLabel("Route").selectOption("steps");
    await shows(page, '"forty rows"');
    await page.getByText(`/v1/executions/${encodeURIComponent(id)}/steps'`).waitFor();
    await page.reload();
    await shows(page, '"forty rows"');
    await close(page);
});

test("a flow is drawn, changes live, shows its node and can be cancelled", async (server) => {
    const flow = await server.call("POST", "/v1/flows/submit", {
        flow_kind: "report",
        namespace: "default",
        defaults: { lane_id: "mail" },
        nodes: [
            { name: "plan", execution_kind: "plan", payload: "{}" },
            { name: "left", execution_kind: "part", payload: "{}", depends_on: ["plan"] },
            { name: "right", execution_kind: "part", payload: "{}", depends_on: ["plan"] },
            { name: "join", execution_kind: "join", payload: "{}", depends_on: ["left", "right"] },
        ],
    });
    const page = await open(server, "#/flows");
    await page.getByRole("link", { name: "report" }).click();
    await page.getByRole("link", { name: "plan, waiting" }).waitFor();
    const task = await server.claim("mail");
    assert.equal(task.execution_id, flow.nodes.plan);
    await page.getByRole("link", { name: "plan, active" }).waitFor();
    await server.on(task.execution_id, "/complete", { task_token: task.task_token, result: "{}" });
    await page.getByRole("link", { name: "plan, completed" }).click();
    const beside = page.getByRole("complementary", { name: "Node plan" });
    await beside.getByRole("link", { name: /Open execution/ }).waitFor();
    await beside.getByRole("tab", { name: "Result" }).click();
    await beside.getByText("{}").waitFor();
    await page.reload();
    await beside.getByText("{}").waitFor();
    const left = await server.claim("mail");
    await page.getByRole("list", { name: "Critical path" }).getByRole("link", { name: "plan" }).waitFor();
    await page.getByRole("list", { name: "Slowest nodes" }).getByRole("link").nth(1).click();
    await page.getByRole("complementary").getByRole("button", { name: "Cancel" }).waitFor();
    assert.ok(left);
    await page.getByRole("button", { name: "Cancel flow" }).click();
    await answerDialog(page, "Cancel the flow", { Reason: "enough" });
    await until("the flow's end", async () => (await server.state(flow.nodes.join)) === "cancelled");
    await page.getByRole("link", { name: "join, cancelled" }).waitFor();
    await close(page);
});

test("lanes are paused and enabled, with a way back", async (server) => {
    const page = await open(server, "#/lanes");
    const state = async () => (await server.call("GET", "/v1/lanes")).lanes.find((lane) => lane.lane_id === "mail").state;
    await page.getByRole("button", { name: "Pause mail" }).click();
    await until("the pause", async () => (await state()) === "paused");
    await page.getByRole("button", { name: "Undo" }).click();
    await until("the way back", async () => (await state()) === "active");
    await page.getByRole("button", { name: "Disable mail" }).click();
    await until("the lane is disabled", async () => (await state()) === "disabled");
    await page.getByRole("button", { name: "Enable mail" }).click();
    await until("the lane is enabled", async () => (await state()) === "active");
    await close(page);
});

test("a lane tells its rate, its failures and its share", async (server) => {
    await server.create({ lane_id: "mail" });
    const task = await server.claim("mail");
    await server.on(task.execution_id, "/complete", { task_token: task.task_token, result: "{}" });
    await failed(server, "boom", { lane_id: "mail" });
    const page = await open(server, "#/lanes");
    const row = page.locator('tr[data-id="mail"]');
    await row.getByText("/min").waitFor();
    await row.getByRole("cell", { name: "1", exact: true }).waitFor();
    await row.getByText("50 %").click();
    await answerDialog(page, "Change it", { "Weight, 1 to 1000": "3" });
    await row.getByText("75 %").waitFor();
    const weight = async () => (await server.call("GET", "/v1/lanes")).lanes.find((lane) => lane.lane_id === "mail").scheduling_weight;
    assert.equal(await weight(), 3);
    await page.getByRole("button", { name: "Undo" }).click();
    await until("the weight before", async () => (await weight()) === 1);
    await close(page);
});

test("budgets and quotas are shown, changed and started anew", async (server) => {
    const { budget_id } = await server.call("POST", "/v1/budgets", {
        scope_type: "lane",
        scope_id: "mail",
        dimensions: ["tokens"],
        hard_limits: [100],
        soft_limits: [80],
        reset_interval_ms: 3600000,
    });
    await server.call("POST", `/v1/budgets/${budget_id}/usage`, { dimensions: { tokens: 90 }, dedup_key: "a" });
    const { quota_policy_id } = await server.call("POST", "/v1/quotas", {
        name: "smtp",
        window_seconds: 60,
        max_requests_per_window: 5,
        max_concurrent: 2,
        scope_type: "lane",
        scope_id: "mail",
    });
    const page = await open(server, "#/limits");
    const card = page.getByRole("region", { name: "Budget of lane mail" });
    await card.getByText("90").waitFor();
    await card.getByRole("img", { name: /^What is left of tokens/ }).waitFor();
    await card.getByRole("button", { name: "Limits" }).click();
    await answerDialog(page, "Change them", { tokens: "500" });
    assert.equal((await server.call("GET", `/v1/budgets/${budget_id}`)).hard_limits.tokens, 500);
    await card.getByText("of 500").waitFor();
    await page.getByRole("button", { name: "Undo" }).click();
    await card.getByText("of 100").waitFor();
    assert.deepEqual((await server.call("GET", `/v1/budgets/${budget_id}`)).soft_limits, { tokens: 80 });
    await card.getByRole("button", { name: "Reset" }).click();
    await answerDialog(page, "Start anew");
    assert.deepEqual((await server.call("GET", `/v1/budgets/${budget_id}`)).remaining.tokens, 100);
    await page.getByRole("button", { name: "Change smtp" }).click();
    await answerDialog(page, "Change it", { "Starts in 60 s": "9" });
    assert.equal((await server.call("GET", `/v1/quotas/${quota_policy_id}`)).max_requests_per_window, 9);
    await close(page);
});

test("a budget names what waits for it, and lets it go on when it starts anew", async (server) => {
    const { budget_id } = await server.call("POST", "/v1/budgets", {
        scope_type: "lane",
        scope_id: "mail",
        dimensions: ["tokens"],
        hard_limits: [100],
    });
    await server.call("POST", `/v1/budgets/${budget_id}/usage`, { dimensions: { tokens: 100 }, dedup_key: "a" });
    const id = await server.create({ execution_kind: "starved", lane_id: "mail", policy: { budget_ids: [budget_id] } });
    await server.call("POST", "/v1/workers/w/tasks/claim", { worker_instance_id: "w-1", lanes: ["mail"], max_tasks: 1 });
    assert.equal(await server.state(id), "rate_limited");
    const page = await open(server, "#/limits");
    const waiting = page.getByRole("link", { name: "1 execution waits for it" });
    await waiting.click();
    await page.getByRole("heading", { name: /starved/ }).waitFor();
    await page.goBack();
    await page.getByRole("button", { name: "Reset" }).click();
    await answerDialog(page, "Start anew");
    await until("the execution", async () => (await server.state(id)) === "waiting");
    await close(page);
});

test("workers show what they hold, and what waiting work needs and nobody has", async (server) => {
    await server.call("PUT", "/v1/workers/w/instances/w-1", { namespace: "team", lanes: ["default"], capabilities: ["llm"] });
    const needy = await server.create({
        execution_kind: "needy",
        policy: { routing_requirements: { required_capabilities: ["gpu=a10"] } },
    });
    await server.create({ execution_kind: "held" });
    const task = await server.claim();
    await until(
        "the route block",
        async () => (await server.call("GET", "/v1/executions?lane=default&state=blocked_route")).executions.length > 0,
    );
    const page = await open(server, "#/workers");
    await page.getByRole("link", { name: /gpu=a10: 1 execution/ }).waitFor();
    await page.getByRole("link", { name: task.execution_id.slice(-12) }).waitFor();
    await page.getByRole("button", { name: "Take out w-1" }).click();
    await answerDialog(page, "Take it out");
    assert.deepEqual((await server.call("GET", "/v1/workers")).workers, []);
    for (const id of [needy, task.execution_id]) await server.on(id, "/cancel", { reason: "end of the test" });
    await close(page);
});

test("failures are grouped by what failed", async (server) => {
    for (const n of [3, 14]) await failed(server, `quota of tenant ${n} is gone`);
    const page = await open(server, "#/failures");
    const row = page.locator("tr", { hasText: "quota of tenant" });
    await row.waitFor();
    assert.equal(await row.count(), 1);
    assert.equal(await row.locator("td").first().innerText(), "2");
    await failed(server, "quota of tenant 15 is gone", { namespace: "team" });
    await until("the third", async () => (await row.locator("td").first().innerText()) === "3");
    await row.getByRole("button", { name: /^Run again/ }).click();
    await page.getByRole("button", { name: "Run them again" }).click();
    await shows(page, "3 executions queued again.");
    await page.getByRole("button", { name: "Close" }).click();
    await shows(page, "Nothing has failed");
    await close(page);
});

test("the overview says what is not well, shows the last hour of each lane, and goes on by itself", async (server) => {
    for (const lane_id of ["default", "default", "mail"]) {
        await server.create({ lane_id });
        const task = await server.claim(lane_id);
        await server.on(task.execution_id, "/complete", { task_token: task.task_token, result: "{}" });
    }
    await failed(server, "boom", { lane_id: "mail" });
    const page = await open(server, "#/overview");
    await shows(page, "All is well.");
    const tile = (name) => page.getByRole("link", { name: new RegExp(`^${name} ?\\d`) });
    await tile("Completed").getByText("3", { exact: true }).waitFor();
    await tile("Failed").getByText("1", { exact: true }).waitFor();
    await page.getByRole("img", { name: "mail: failed over time, at most 1 execution" }).waitFor();
    const { budget_id } = await server.call("POST", "/v1/budgets", {
        scope_type: "lane",
        scope_id: "mail",
        dimensions: ["tokens"],
        hard_limits: [100],
    });
    await server.call("POST", `/v1/budgets/${budget_id}/usage`, { dimensions: { tokens: 90 }, dedup_key: "a" });
    await suspended(server, "asked");
    const waiting = await server.create({ lane_id: "mail" });
    await server.call("PUT", "/v1/lanes/mail", { state: "paused" });
    await shows(page, "lane mail is paused");
    await shows(page, "1 execution in lane mail and no worker");
    await tile("Approvals").getByText("1", { exact: true }).waitFor();
    await page.getByRole("meter", { name: "tokens used" }).waitFor();
    await page.getByRole("row", { name: /^mail/ }).getByRole("link").last().click();
    await page.getByText(waiting.slice(-12)).first().waitFor();
    await close(page);
});

test("the server page tells how things are", async (server) => {
    const page = await open(server, "#/overview");
    await page
        .getByRole("status")
        .getByText(/All is well|need/)
        .first()
        .waitFor();
    await page.getByRole("link", { name: /^Server/ }).click();
    await shows(page, "The server is well");
    const check = (name) => page.getByRole("table", { name: "Checks" }).getByRole("row", { name: new RegExp(`^${name} `) });
    await check("store").getByText("answers in").waitFor();
    await check("secrets").getByText("in every partition").waitFor();
    await check("access").getByText("FF_API_TOKEN").waitFor();
    await page.getByRole("cell", { name: "lease expiry" }).waitFor();
    await close(page);
});

test("the audit trail goes on as it is written, is searched, and leads to what was changed", async (server) => {
    const id = await server.create({ execution_kind: "audited" });
    await server.on(id, "/cancel", { reason: "no more" });
    const page = await open(server, "#/audit");
    const row = page.locator("tbody tr", { hasText: "execution.cancel" });
    await row.waitFor();
    await server.call("PUT", "/v1/lanes/mail", { state: "paused" });
    await page.locator("tbody tr", { hasText: "mail" }).waitFor();
    await page.getByLabel("Filter").fill("execution.");
    await page.locator("tbody tr", { hasText: "mail" }).waitFor({ state: "detached" });
    await page.reload();
    await row.getByRole("link").click();
    await page.getByRole("heading", { name: /audited/ }).waitFor();
    await close(page);
});

test("the palette leads anywhere, also by an id that is pasted", async (server) => {
    const id = await server.create({ execution_kind: "sought" });
    const page = await open(server, "#/overview");
    await page
        .getByRole("status")
        .getByText(/All is well|need/)
        .first()
        .waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("lanes");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Lanes" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill(id);
    await page.getByRole("option", { name: /Execution sought/ }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /sought/ }).waitFor();
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keys" }).waitFor();
    await page.keyboard.press("Escape");
    await server.on(id, "/cancel", { reason: "end of the test" });
    await close(page);
});

test("keys alone lead from the list over an execution to its approval", async (server) => {
    const id = await suspended(server, "typed");
    const page = await open(server, "#/executions");
    const press = async (...keys) => {
        for (const key of keys) await page.keyboard.press(key);
    };
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    await page.locator(`tr[data-id="${id}"]`).waitFor();
    await press("j");
    await until("the row has the focus", async () => (await focused()).includes("typed"));
    await press("Enter");
    await page.getByRole("link", { name: "Open alone" }).waitFor();
    for (let step = 0; step < 40 && (await focused()) !== "Approve"; step += 1) await press("Tab");
    await press("Enter");
    const dialog = page.locator("dialog[open]");
    await dialog.waitFor();
    for (let step = 0; step < 10 && !(await page.evaluate(() => document.activeElement?.matches("dialog input"))); step += 1)
        await press("Tab");
    await page.keyboard.type("maria");
    await press("Enter");
    await until("the approval", async () => (await server.state(id)) === "waiting");
    assert.equal((await server.on(id, "/signals")).signals[0].source_identity, "maria");
    await dialog.waitFor({ state: "detached" });
    await press("Control+k");
    await page.getByRole("combobox").fill("cancel it");
    await press("Enter");
    await page.getByRole("heading", { name: "Cancel typed?" }).waitFor();
    await press("Enter");
    await until("the end", async () => (await server.state(id)) === "cancelled");
    await close(page);
});

test("keys alone lead through the list", async (server) => {
    const id = await server.create({ execution_kind: "by_keys" });
    const page = await open(server, "#/executions?q=kind:by_keys");
    await page.locator(`tr[data-id="${id}"]`).waitFor();
    await page.keyboard.press("/");
    assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("aria-label")), "Filter");
    await page.keyboard.press("Escape");
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press("j");
    await until("focus on the row", () => page.evaluate(() => document.activeElement?.closest("tr") !== null));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: /by_keys/ }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("f");
    await page.getByRole("heading", { name: "Flows" }).waitFor();
    await server.on(id, "/cancel", { reason: "end of the test" });
    await close(page);
});

async function violations(page) {
    const found = await page.evaluate(() => globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"] }));
    return found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
}

test("no page violates what axe-core knows of accessibility, in both themes and on a phone", async (server) => {
    const id = await suspended(server, "looked_at");
    const { waitpoints } = await server.on(id, "/pending-waitpoints?tokens=omit");
    await failed(server, "looked at");
    await server.call("PUT", "/v1/workers/w/instances/w-1", { namespace: "default", lanes: ["default"], capabilities: ["llm"] });
    const flow = await server.call("POST", "/v1/flows/submit", {
        flow_kind: "report",
        namespace: "default",
        defaults: { lane_id: "mail" },
        nodes: [
            { name: "plan", execution_kind: "plan", payload: "{}" },
            { name: "write", execution_kind: "part", payload: "{}", depends_on: ["plan"] },
        ],
    });
    const hashes = [
        "#/overview",
        "#/executions",
        exec(id),
        `${exec(id)}?tab=payload`,
        ...["attempts", "signals", "usage", "history", "raw"].map((tab) => `${exec(id)}?tab=${tab}`),
        "#/approvals",
        `#/approvals/${encodeURIComponent(id)}/${waitpoints[0].waitpoint_id}`,
        "#/flows",
        `#/flows/${flow.flow_id}`,
        "#/limits",
        "#/lanes",
        "#/workers",
        "#/failures",
        "#/server",
        "#/audit",
        `${exec(id)}?view=summary`,
        "#/nothing",
    ];
    // Both themes and both widths; each with each, and a tablet, only where all is asked for.
    const quick = [
        ["light", 1280],
        ["dark", 380],
    ];
    const looks = full ? ["light", "dark"].flatMap((theme) => [380, 768, 1280].map((width) => [theme, width])) : quick;
    for (const [colorScheme, width] of looks) {
        const page = await open(server, hashes[0], { colorScheme, viewport: { width, height: 860 } });
        for (const hash of hashes) {
            await page.goto(`${server.url}/console/${hash}`);
            await page.locator("main h1").waitFor();
            await until(`the content of ${hash}`, async () => (await page.locator(".skeleton").count()) === 0);
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(wide <= 0, `${hash} is ${wide} px too wide for ${width} px`);
            await page.evaluate(axe);
            assert.deepEqual(await violations(page), [], `${hash}, ${width} px wide, in the ${colorScheme} theme`);
        }
        await close(page);
    }
    await server.on(id, "/cancel", { reason: "end of the test" });
});

const limits = (scope_id) => ({ scope_type: "namespace", scope_id });

test("whatever users write shows as text", async (server) => {
    const tags = { tenant: EVIL };
    const id = await failed(server, EVIL, { execution_kind: EVIL, tags, payload: JSON.stringify({ [EVIL]: EVIL }) });
    const { budget_id } = await server.call("POST", "/v1/budgets", {
        ...limits(EVIL),
        dimensions: ["tokens"],
        hard_limits: [5],
        soft_limits: [4],
    });
    await server.call("POST", "/v1/quotas", {
        ...limits(EVIL),
        name: EVIL,
        window_seconds: 60,
        max_requests_per_window: 5,
        max_concurrent: 1,
    });
    const flow = await server.call("POST", "/v1/flows/submit", {
        flow_kind: EVIL,
        namespace: "default",
        defaults: { lane_id: "idle" },
        nodes: [{ name: "node", execution_kind: EVIL, payload: EVIL }],
    });
    const asked = await suspended(server, "evil_ask", { tags, lane_id: "ask" }, { prompt: EVIL, assignees: [EVIL], context: EVIL });
    const { waitpoints } = await server.on(asked, "/pending-waitpoints?tokens=omit");
    const alone = `#/approvals/${encodeURIComponent(asked)}/${waitpoints[0].waitpoint_id}`;
    const talker = await server.create({
        execution_kind: "evil_talker",
        lane_id: "mail",
        payload: EVIL,
        policy: { budget_ids: [budget_id] },
    });
    const task = await server.claim("mail");
    const lease = { task_token: task.task_token };
    await server.on(talker, `/attempts/${task.attempt_index}/stream`, {
        lease_id: task.lease_id,
        lease_epoch: task.lease_epoch,
        attempt_id: task.attempt_id,
        frames: [{ frame_type: "token", payload: EVIL }],
    });
    await server.on(talker, "/progress", { ...lease, pct: 5, message: EVIL });
    await server.on(talker, "/steps", { ...lease, steps: [{ name: "evil", value: EVIL }] });
    await server.on(talker, "/usage", { ...lease, dimensions: { tokens: 1 }, dedup_key: "evil" });
    const page = await open(server, "#/executions");
    const shown = async (hash) => {
        await page.goto(`${server.url}/console/${hash}`);
        await page.getByText("onerror=alert(1)").first().waitFor();
        assert.equal(await page.locator("main img, main script, dialog img, .toasts img").count(), 0, hash);
    };
    for (const hash of [
        "#/executions",
        "#/failures",
        "#/approvals",
        alone,
        "#/limits",
        "#/flows",
        `#/flows/${flow.flow_id}`,
        `#/flows/${flow.flow_id}?node=${encodeURIComponent(flow.nodes.node)}`,
        `#/approvals?tag=${encodeURIComponent(EVIL)}`,
        `#/executions?q=${encodeURIComponent(EVIL)}`,
        `#/${encodeURIComponent(EVIL)}`,
        ...["output", "payload", "attempts", "history", "raw"].map((tab) => `${exec(id)}?tab=${tab}`),
        ...["output", "payload", "steps", "usage", "raw"].map((tab) => `${exec(talker)}?tab=${tab}`),
    ])
        await shown(hash);
    await page.goto(`${server.url}/console/${alone}`);
    await page.getByRole("button", { name: /^Approve/ }).click();
    await answerDialog(page, "Approve", { "Your name": EVIL, Comment: EVIL });
    await shows(page, "It has been answered");
    for (const hash of [alone, `${exec(asked)}?tab=signals`, `${exec(asked)}?tab=history`]) await shown(hash);
    await server.on(talker, "/cancel", { reason: EVIL });
    await page.goto(`${server.url}/console/${exec(talker)}`);
    await shows(page, `Cancelled: ${EVIL.slice(0, 10)}`);
    await close(page);
});

test("the files come compressed, cached and guarded, and weigh little", async (server) => {
    const root = await fetch(`${server.url}/`, { redirect: "manual" });
    assert.equal(root.status, 302);
    assert.equal(root.headers.get("location"), "console/");
    const page = await fetch(`${server.url}/console/`);
    assert.match(page.headers.get("content-security-policy"), /default-src 'none'.*frame-ancestors 'none'/);
    assert.equal(page.headers.get("x-content-type-options"), "nosniff");
    const html = await page.text();
    let loaded = 0;
    for (const [, file] of html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)) {
        const reply = await fetch(`${server.url}/console/${file}`);
        loaded += Number(reply.headers.get("content-length"));
        if (!file.startsWith("icon")) assert.match(reply.headers.get("cache-control"), /immutable/);
        const again = await fetch(`${server.url}/console/${file}`, { headers: { "If-None-Match": reply.headers.get("etag") } });
        assert.equal(again.status, 304);
        assert.doesNotMatch(
            await reply.text(),
            /https?:\/\/(?!www\.w3\.org\/|127\.0\.0\.1)[a-z0-9.-]+\.[a-z]{2,}/i,
            `${file} names another host`,
        );
    }
    assert.ok(loaded < 180 * 1024, `${loaded} bytes at first load`);
});

test("with a token one signs in, and comes back to the same page", async () => {
    const server = await new Server({ FF_API_TOKEN: "correct-horse" }).start();
    try {
        const page = await open(server, "#/lanes");
        await page.getByLabel("API token").fill("wrong");
        await page.keyboard.press("Enter");
        await shows(page, "does not know this token");
        await page.getByLabel("API token").fill("correct-horse");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Lanes" }).waitFor();
        await page.getByRole("cell", { name: "mail" }).first().waitFor();
        await page.getByText("live", { exact: true }).waitFor();
        assert.ok(!page.url().includes("correct"));
        assert.equal(
            await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }]).includes("correct-horse")),
            false,
        );
        await page.reload();
        await page.getByLabel("Keep it until this tab is closed").check();
        await page.getByLabel("API token").fill("correct-horse");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Lanes" }).waitFor();
        await page.reload();
        await page.getByRole("cell", { name: "mail" }).first().waitFor();
        await page.getByLabel("Preferences").click();
        await page.getByRole("button", { name: "Sign out" }).click();
        await page.getByLabel("API token").waitFor();
        await close(page);
    } finally {
        await server.stop();
    }
});

test("a token that is no longer good leads back to sign in, on the same page", async () => {
    const server = await new Server({ FF_API_TOKEN: "old" }).start();
    const page = await open(server, "#/lanes");
    await page.getByLabel("API token").fill("old");
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "mail" }).first().waitFor();
    await server.stop();
    const next = await new Server({ FF_API_TOKEN: "new" }, server.port).start();
    try {
        await page.getByLabel("API token").fill("new");
        await page.keyboard.press("Enter");
        await page.getByRole("heading", { name: "Lanes" }).waitFor();
        await close(page);
    } finally {
        await next.stop();
    }
});

test("a page outlives a restart of the server and is live again", async () => {
    const server = await new Server().start();
    const page = await open(server, "#/executions");
    await shows(page, "No executions yet");
    await server.stop();
    await shows(page, "reconnecting");
    await server.start();
    try {
        await page.getByText("live", { exact: true }).waitFor();
        const id = await server.create({ execution_kind: "after" });
        await page.reload();
        await page.locator(`tr[data-id="${id}"]`).waitFor();
        await server.claim();
        await page.locator(`tr[data-id="${id}"]`).getByText("active").waitFor();
        await close(page);
    } finally {
        await server.stop();
    }
});

test("it works below a path of a proxy", async (server) => {
    const proxy = (await import("node:http")).createServer((request, reply) => {
        if (!request.url.startsWith("/ops/ff/")) return reply.writeHead(404).end();
        const inner = new URL(server.url);
        const onward = (async () =>
            (await import("node:http")).request(
                {
                    host: inner.hostname,
                    port: inner.port,
                    path: request.url.slice("/ops/ff".length),
                    method: request.method,
                    headers: { ...request.headers, host: inner.host },
                },
                (answer) => {
                    reply.writeHead(answer.statusCode, answer.headers);
                    answer.pipe(reply);
                },
            ))();
        void onward.then((ask) => {
            ask.on("error", () => reply.destroy());
            reply.on("close", () => ask.destroy());
            request.pipe(ask);
        });
    });
    await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
    const below = { url: `http://127.0.0.1:${proxy.address().port}` };
    try {
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.goto(`${below.url}/ops/ff/`);
        await page.getByRole("link", { name: "Lanes" }).click();
        await page.getByRole("cell", { name: "mail" }).first().waitFor();
        assert.ok(page.url().startsWith(`${below.url}/ops/ff/console/`));
        await context.close();
    } finally {
        proxy.closeAllConnections();
        proxy.close();
    }
});

test("turned off, nothing is served and the API goes on", async () => {
    const server = await new Server({ FF_CONSOLE: "off" }).start();
    try {
        assert.equal((await fetch(`${server.url}/console/`)).status, 404);
        assert.equal((await fetch(`${server.url}/v1/lanes`)).status, 200);
    } finally {
        await server.stop();
    }
});

let failures = 0;
for (const { name, run } of tests) {
    const begun = Date.now();
    // Each has a server of its own, so that none sees what another has left.
    const server = await new Server().start();
    try {
        await run(server);
        console.log(`ok   ${name} (${Date.now() - begun} ms)`);
    } catch (error) {
        failures += 1;
        console.log(`FAIL ${name}\n     ${String(error?.stack ?? error).replace(/\n/g, "\n     ")}`);
        for (const context of browser.contexts()) await context.close();
    } finally {
        await server.stop();
    }
}
await browser.close();
console.log(failures === 0 ? `all ${tests.length} tests passed` : `${failures} of ${tests.length} tests failed`);
process.exit(failures === 0 ? 0 : 1);
