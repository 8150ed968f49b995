// Builds unit.test.ts and runs it: unit.mjs <folder to build in>
import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(process.argv[2] ?? join(here, "../../build/console"), "unit.test.mjs");
await build({
    entryPoints: [join(here, "unit.test.ts")],
    outfile: out,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node18",
    jsx: "automatic",
    jsxImportSource: "preact",
    logLevel: "warning",
});
process.exit(spawnSync(process.execPath, ["--test", out], { stdio: "inherit" }).status ?? 1);
