// The page behind an approval link in a real browser: links.mjs <flowfabric program> [folder for pictures]
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const [, , program, pictures] = process.argv;
const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
if (!browserPath) {
    console.error("console: no Chromium here; scripts/install-deps.sh brings it");
    process.exit(1);
}
const PATIENCE_MS = 15_000;
const TOKEN = "the-bearer-of-this-test-0123456789";
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
if (pictures) mkdirSync(pictures, { recursive: true });

const server = spawn(program, ["server", "--listen-addr=127.0.0.1:0", "--data-dir=:memory:"], {
    env: { PATH: process.env.PATH, FF_API_TOKEN: TOKEN, FF_FLOW_PARTITIONS: "16", FF_LOG: "info" },
    stdio: ["ignore", "pipe", "ignore"],
});
const url = await new Promise((done, refuse) => {
    let said = "";
    server.stdout.on("data", (text) => {
        said += text;
        const line = said.split("\n").find((one) => one.includes('"serving"') || one.includes(" serving"));
        const found = line && /http:\/\/127\.0\.0\.1:\d+/.exec(line);
        if (found) done(found[0]);
    });
    server.on("exit", (code) => refuse(new Error(`the server ended with ${code}`)));
});

async function call(method, path, body) {
    const headers = { "Content-Type": "application/json", Authorization: `Bearer ${TOKEN}` };
    const reply = await fetch(url + path, { method, headers, body: body && JSON.stringify(body) });
    const text = await reply.text();
    assert.ok(reply.ok, `${method} ${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
}

let lanes = 0;

/** An execution that asks, and a link at which it is answered. */
async function ask(approval, link = {}) {
    const lane = `l${++lanes}`;
    await call("POST", "/v1/executions", { namespace: "shop", lane_id: lane, execution_kind: "refund", payload: "{}" });
    const claimed = await call("POST", "/v1/workers/w/tasks/claim", {
        worker_instance_id: "w-1",
        lanes: [lane],
        max_tasks: 1,
        wait_ms: 5000,
    });
    const task = claimed.tasks[0];
    const path = `/v1/executions/${encodeURIComponent(task.execution_id)}`;
    const waiting = await call("POST", `${path}/suspend`, {
        task_token: task.task_token,
        reason_code: "waiting_for_approval",
        signals: ["approved", "rejected"],
        approval,
    });
    const made = await call("POST", `${path}/waitpoints/${waiting.waitpoint_id}/link`, link);
    return {
        url: made.url,
        link: `${path}/waitpoints/${waiting.waitpoint_id}/link`,
        state: async () => (await call("GET", `${path}/state`)).public_state,
        signals: async () => (await call("GET", `${path}/signals`)).signals,
    };
}

const LARGE = {
    prompt: "Refund order 4711 with 249.90 EUR?\nThe customer reports that the parcel arrived open and one item is missing. The carrier has confirmed the damage.",
    assignees: ["maria@example.org", "finance team"],
    context: JSON.stringify({ order: 4711, customer: "Ada Example", items: ["lamp", "cable"], total: "249.90 EUR" }, null, 2),
    context_type: "application/json",
    due_at: "+93600000",
    form: {
        type: "object",
        required: ["amount", "reason"],
        properties: {
            amount: { type: "number", title: "Amount in EUR", minimum: 1, maximum: 500, default: 249.9 },
            reason: { title: "Reason", enum: ["damaged", "lost", "goodwill"] },
            note: { type: "string", title: "Note to the customer", description: "The customer reads this in the mail.", maxLength: 400 },
            inform: { type: "boolean", title: "Inform the carrier", default: true },
        },
    },
};
const SIZES = [
    { width: 380, height: 760 },
    { width: 1200, height: 900 },
];
const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

/** Without scripts, as the strictest browser has it; but axe, which is one, needs them. */
async function open(address, options = {}) {
    const context = await browser.newContext({ viewport: SIZES[0], javaScriptEnabled: false, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    page.complaints = [];
    page.on("console", (message) => page.complaints.push(message.text()));
    page.on("pageerror", (error) => page.complaints.push(String(error)));
    page.on("dialog", (dialog) => {
        page.complaints.push(`dialog: ${dialog.message()}`);
        void dialog.dismiss();
    });
    page.on("request", (request) => {
        if (new URL(request.url()).origin !== url) page.complaints.push(`asked ${request.url()}`);
    });
    await page.goto(address);
    return page;
}

async function close(page) {
    // Statuses that are refusals are told as failed loads; they are wanted here.
    const complaints = page.complaints.filter((text) => !text.includes("the server responded with a status of"));
    assert.deepEqual(complaints, [], "the page complained");
    await page.context().close();
}

/** In both themes and sizes: nothing sticks out, and axe finds nothing. */
async function inspect(name, address) {
    for (const colorScheme of ["light", "dark"]) {
        for (const viewport of SIZES) {
            const page = await open(address, { viewport, colorScheme, javaScriptEnabled: true });
            if (pictures) await page.screenshot({ path: `${pictures}/${name}-${viewport.width}-${colorScheme}.png`, fullPage: true });
            const width = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(width <= viewport.width, `${name} is ${width} px wide at ${viewport.width}`);
            await page.evaluate(axe);
            const found = await page.evaluate(() =>
                globalThis.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }),
            );
            const problems = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join(" ")}`);
            assert.deepEqual(problems, [], `${name} at ${viewport.width} px, ${colorScheme}`);
            await close(page);
        }
    }
}

const tests = {
    async "a page that asks is sound in every size and theme"() {
        const asked = await ask(LARGE, { label: "Maria" });
        await inspect("asks", asked.url);
    },
    async "so is one that only asks yes or no, one with long words, and one with bytes"() {
        await inspect("plain", (await ask({ prompt: "Publish the release notes?" })).url);
        const long = "x".repeat(300);
        const form = { properties: { [long]: { type: "string", title: long, description: long } } };
        await inspect("long", (await ask({ prompt: `Really?\n${long}`, assignees: [long.slice(0, 200)], context: long, form })).url);
        await inspect("bytes", (await ask({ context_base64: "AP/DKA==", context_type: "image/png" })).url);
    },
    async "a person fills the form, is told what is wrong, and approves, without a script"() {
        const asked = await ask(LARGE);
        const page = await open(asked.url);
        assert.equal(await page.getByLabel("Amount in EUR").inputValue(), "249.9");
        await page.getByLabel("Reason").selectOption("lost");
        await page.getByLabel("Amount in EUR").fill("600");
        await page.getByLabel("Comment").fill("Please do.");
        // The browser itself holds it back.
        await page.getByRole("button", { name: "Approve" }).click();
        assert.equal(await asked.state(), "suspended");
        await page.getByLabel("Amount in EUR").fill("120.5");
        await page.getByRole("button", { name: "Approve" }).click();
        await page.getByText("Approved", { exact: true }).waitFor();
        await page.getByText("Please do.").waitFor();
        await page.getByText("120.5", { exact: true }).waitFor();
        assert.equal(page.url(), asked.url);
        if (pictures) await page.screenshot({ path: `${pictures}/answered-filled.png`, fullPage: true });
        // Loaded again, it sends nothing again.
        await page.reload();
        const signals = await asked.signals();
        assert.deepEqual([signals.length, signals[0].signal_name], [1, "approved"]);
        await close(page);
        await inspect("answered", asked.url);
    },
    async "what the server refuses stands beside its field"() {
        const asked = await ask(LARGE);
        // A browser that checks nothing.
        const page = await open(asked.url, { javaScriptEnabled: true });
        await page.evaluate(() => {
            document.forms[0].noValidate = true;
        });
        await page.getByLabel("Amount in EUR").fill("600");
        await page.getByRole("button", { name: "Approve" }).click();
        await page.getByText("At most 500.").waitFor();
        await page.getByText("An answer is needed here.").waitFor();
        assert.equal(await page.getByLabel("Amount in EUR").inputValue(), "600");
        if (pictures) await page.screenshot({ path: `${pictures}/refused.png`, fullPage: true });
        await page.evaluate(axe);
        const found = await page.evaluate(() => globalThis.axe.run(document));
        assert.deepEqual(
            found.violations.map((one) => one.id),
            [],
        );
        assert.equal(await asked.state(), "suspended");
        await close(page);
    },
    async "Enter in a field answers nothing, and Reject needs no form"() {
        const asked = await ask(LARGE);
        const page = await open(asked.url);
        await page.getByLabel("Reason").selectOption("lost");
        const sent = [];
        page.on("request", (request) => request.method() === "POST" && sent.push(request.postData()));
        await page.getByLabel("Amount in EUR").press("Enter");
        await page.getByLabel("Amount in EUR").fill("");
        await page.getByRole("button", { name: "Reject" }).click();
        await page.getByText("Rejected", { exact: true }).waitFor();
        assert.equal((await asked.signals())[0].signal_name, "rejected");
        assert.equal(sent.length, 1);
        await close(page);
    },
    async "a link that was withdrawn says so"() {
        const asked = await ask({ prompt: "Publish?" });
        await call("DELETE", asked.link);
        await inspect("withdrawn", asked.url);
        const page = await open(asked.url);
        await page.getByText("This link was withdrawn").waitFor();
        assert.equal(await page.getByText("Publish?").count(), 0);
        await close(page);
        await inspect("nowhere", `${asked.url}x`);
    },
    async "another site can send nothing, and shows the page in no frame"() {
        const asked = await ask({ prompt: "Publish?" });
        const context = await browser.newContext();
        const page = await context.newPage();
        await page.setContent(`<form method="post" action="${asked.url}"><input name="answer" value="approved"><button>go</button></form>
            <iframe src="${asked.url}"></iframe>`);
        assert.equal(page.frames().length, 2);
        assert.ok(!(await page.frames()[1].content()).includes("Publish?"));
        await page.getByRole("button", { name: "go" }).click();
        await page.getByText("The answer was not taken").waitFor();
        assert.equal(await asked.state(), "suspended");
        await context.close();
    },
};

let failures = 0;
for (const [name, run] of Object.entries(tests)) {
    const begun = Date.now();
    try {
        await run();
        console.log(`ok   ${name} (${Date.now() - begun} ms)`);
    } catch (error) {
        failures += 1;
        console.log(`FAIL ${name}\n     ${String(error?.stack ?? error).replace(/\n/g, "\n     ")}`);
        for (const context of browser.contexts()) await context.close();
    }
}
await browser.close();
server.kill("SIGKILL");
console.log(failures === 0 ? `all ${Object.keys(tests).length} tests passed` : `${failures} failed`);
process.exit(failures === 0 ? 0 : 1);
