#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { App, ConfigError, type WorkerOptions } from './index.js';

const USAGE = `Usage: flowfabric-worker <module>[:<export>] [options]

Imports the module, finds the App that it exports (as app, as default, or by the name given) and works on its
tasks until SIGTERM or SIGINT, which let running handlers end. The server is FF_SERVER_URL, its token FF_API_TOKEN.

  --concurrency <n>       tasks held at a time (100)
  --lanes <a,b>           lanes to claim from (those of the tasks)
  --capabilities <a,b>    what this worker can do
  --namespace <name>      only executions of this namespace
  --drain <time>          how long handlers may go on after SIGTERM (25s)
  --watch                 start again when the module or what it imports changes
  --help
`;

const list = (text: string | undefined): string[] | undefined => text?.split(',').map(item => item.trim());

async function findApp(target: string): Promise<App> {
  const [path = '', name] = target.split(/:(?=[A-Za-z_$][\w$]*$)/);
  const found = (await import(pathToFileURL(resolve(path)).href)) as Record<string, unknown>;
  const app = name ? found[name] : (found.app ?? found.default);
  if (!(app instanceof App))
    throw new ConfigError(`${path} exports no App${name ? ` named ${name}` : ' as app or default'}`);
  return app;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      concurrency: { type: 'string' },
      lanes: { type: 'string' },
      capabilities: { type: 'string' },
      namespace: { type: 'string' },
      drain: { type: 'string' },
      watch: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  const [target] = positionals;
  if (values.help || !target || positionals.length > 1) {
    process.stderr.write(USAGE);
    return values.help ? 0 : 2;
  }
  if (values.watch) return watch();
  const options: WorkerOptions = {};
  if (values.concurrency !== undefined) options.concurrency = Number(values.concurrency);
  if (values.namespace !== undefined) options.namespace = values.namespace;
  if (values.drain !== undefined) options.drain = values.drain;
  const lanes = list(values.lanes);
  if (lanes) options.lanes = lanes;
  const capabilities = list(values.capabilities);
  if (capabilities) options.capabilities = capabilities;
  await (await findApp(target)).run(options);
  return 0;
}

/** Node itself watches and starts this program again, without `--watch`. */
function watch(): Promise<number> {
  const rest = process.argv.slice(2).filter(argument => argument !== '--watch');
  const child = spawn(process.execPath, ['--watch', fileURLToPath(import.meta.url), ...rest], { stdio: 'inherit' });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));
  return new Promise(done => {
    child.once('exit', code => done(code ?? 1));
  });
}

main().then(
  code => process.exit(code),
  (error: Error) => {
    process.stderr.write(`flowfabric-worker: ${error.message}\n`);
    process.exit(error.name === 'TypeError' || error instanceof ConfigError ? 2 : 1);
  },
);
