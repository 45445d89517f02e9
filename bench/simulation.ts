/** `npm run simulation -- [subscribers]`: plays a seeded history; fails when a figure is not what was done. */
import { simulate } from '../src/testing/simulation/run.ts';

const [size = 100_000] = process.argv.slice(2).map(Number);
const start = performance.now();
const say = (line: string) =>
  console.log(`${((performance.now() - start) / 1_000).toFixed(0).padStart(4)} s  ${line}`);
const { differences, figures, messages } = await simulate(size, say);
for (const line of differences) console.log(line);
const isRight = differences.length === 0 && figures > 1_500 && messages > size;
console.log(isRight ? 'kept: every figure is what was done' : 'BROKEN');
process.exitCode = isRight ? 0 : 1;
