import autocannon from 'autocannon';

export const median = (figures: readonly number[]): number =>
  figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)]!;

/** Milliseconds that a piece of work takes. */
export async function msOf(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Median milliseconds of some runs of a piece of work. */
export async function medianMs(runs: number, work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < runs; run++) times.push(await msOf(work));
  return median(times);
}

/** Median milliseconds of two pieces of work that take turns, so that other work on the machine weighs on both. */
export async function inTurns(rounds: number, ours: () => unknown, theirs: () => unknown) {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    times[0].push(await msOf(ours));
    times[1].push(await msOf(theirs));
  }
  return { ours: median(times[0]), theirs: median(times[1]) };
}

/** The replies of a server that was called for some seconds. */
export interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly answers: number;
  readonly failed: number;
}

/** Calls a server for some seconds. @param wanted the replies that count; all others have failed */
export async function callsOf(options: autocannon.Options, wanted: '2xx' | '3xx'): Promise<Round> {
  const result = await autocannon(options);
  const all = result['1xx'] + result['2xx'] + result['3xx'] + result['4xx'] + result['5xx'];
  return {
    perSecond: result[wanted] / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    answers: result[wanted],
    failed: all - result[wanted] + result.errors,
  };
}

export const medianRound = (rounds: readonly Round[]): Round =>
  rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)]!;

/** A round as a line of text. @param size what one reply counts for, in `unit` */
export function shownRound({ perSecond, p50, p99, failed }: Round, unit = 'requests', size = 1): string {
  const rate = `${Math.round(perSecond * size)} ${unit}/s, p50 ${p50} ms, p99 ${p99} ms`;
  return failed ? `${rate}, ${failed} FAILED` : rate;
}
