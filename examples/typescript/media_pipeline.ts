// A media pipeline as a flow: one probe, three renditions next to each other, and a manifest of what they gave.
//
//   node media_pipeline.js
import { App, Flow } from 'flowfabric';

const app = new App({ lane: 'media' });

const probe = app.task('probe', (_ctx, file: string) => ({ file, seconds: 90 }));
const render = app.task('render', async (ctx, input: { source: { file: string; seconds: number }; height: number }) => {
  for (const percent of [0, 50, 100]) await ctx.progress(percent, `${input.height}p`);
  return `${input.source.file}.${input.height}p`;
});
const manifest = app.task('manifest', (_ctx, parts: { low: string; middle: string; high: string }) =>
  Object.values(parts),
);

const flow = new Flow('renditions');
const source = flow.add(probe, 'holiday.mov');
const [low, middle, high] = [
  flow.add(render, { source, height: 360 }, { name: 'low' }),
  flow.add(render, { source, height: 720 }, { name: 'middle' }),
  flow.add(render, { source, height: 1080 }, { name: 'high' }),
];
const end = flow.add(manifest, { low, middle, high });

const worker = app.worker();
const working = worker.run();
const handle = await flow.submit(app);
console.log(await handle.result(end));
await worker.stop();
await working;
