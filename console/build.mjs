// Bundles the console and writes it as C++: build.mjs <output folder> [--serve-files]
//
// The page (index.html) names its script and its style by names that hold their content's hash, so
// that caches may keep them for ever. Every file is compressed here, once.
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, "../build/console");
const files = join(out, "files");

const TYPES = {
    html: "text/html; charset=utf-8",
    js: "text/javascript; charset=utf-8",
    css: "text/css; charset=utf-8",
    svg: "image/svg+xml",
};

async function bundle() {
    const made = await build({
        entryPoints: [join(here, "src/main.tsx")],
        bundle: true,
        splitting: true,
        format: "esm",
        outdir: files,
        entryNames: "[name]-[hash]",
        chunkNames: "[name]-[hash]",
        assetNames: "[name]-[hash]",
        minify: true,
        target: ["chrome110", "firefox110", "safari16"],
        jsx: "automatic",
        jsxImportSource: "preact",
        legalComments: "none",
        metafile: true,
        write: false,
        logLevel: "warning",
    });
    return { outputs: made.outputFiles, entries: made.metafile.outputs };
}

function etag(bytes) {
    return createHash("sha256").update(bytes).digest("hex").slice(0, 20);
}

/// String literals of bounded length: compilers limit a single one, and join neighbours.
function literal(bytes) {
    const lines = [];
    for (let at = 0; at < bytes.length; at += 64) {
        let line = "";
        for (const byte of bytes.subarray(at, at + 64)) line += `\\${byte.toString(8).padStart(3, "0")}`;
        lines.push(`    "${line}"`);
    }
    return lines.join("\n");
}

function source(assets) {
    const bodies = assets.map((a, i) => `constexpr std::string_view kBody${i}(\n${literal(a.body)},\n    ${a.body.length});\n`);
    const rows = assets.map((a, i) => `    {"${a.path}", "${a.type}", "\\"${a.etag}\\"", ${a.path !== ""}, kBody${i}},`);
    return `#include "console/assets.h"

namespace ff::console {
namespace {

${bodies.join("\n")}
constexpr Asset kAssets[] = {
${rows.join("\n")}
};

}  // namespace

std::span<const Asset> assets() {
    return kAssets;
}

}  // namespace ff::console
`;
}

const { outputs, entries } = await bundle();
mkdirSync(files, { recursive: true });
const named = {};
for (const [path, facts] of Object.entries(entries)) {
    // What is imported later is an entry point to the bundler, too.
    if (!facts.entryPoint?.endsWith("src/main.tsx")) continue;
    named.js = relative(files, join(process.cwd(), path));
    if (facts.cssBundle) named.css = relative(files, join(process.cwd(), facts.cssBundle));
}
const page = readFileSync(join(here, "src/index.html"), "utf8")
    .replace("{{script}}", `./${named.js}`)
    .replace("{{style}}", `./${named.css}`);
const icon = readFileSync(join(here, "src/icon.svg"));
const all = [
    { path: "", content: Buffer.from(page), ext: "html" },
    { path: "icon.svg", content: icon, ext: "svg" },
    ...outputs.map((o) => ({
        path: relative(files, o.path),
        content: Buffer.from(o.contents),
        ext: o.path.split(".").pop(),
    })),
];
const assets = all.map((a) => ({
    path: a.path,
    type: TYPES[a.ext],
    etag: etag(a.content),
    body: gzipSync(a.content, { level: 9 }),
}));
for (const a of all) writeFileSync(join(files, a.path === "" ? "index.html" : a.path), a.content);
writeFileSync(join(out, "assets.cc"), source(assets));
const bytes = assets.reduce((sum, a) => sum + a.body.length, 0);
writeFileSync(join(out, "sizes.json"), JSON.stringify({ total: bytes, files: assets.map((a) => [a.path, a.body.length]) }));
