/** Goals of benchmarks: each is told in one line of the same form, and a missed one makes the process end with 1. */

/** @param what the figure with its unit, e.g. `memory of the service, MB` */
export function wantAtLeast(what: string, figure: number, least: number): void {
  tell(what, figure, `at least ${least}`, figure >= least);
}

export function wantAtMost(what: string, figure: number, most: number): void {
  tell(what, figure, `at most ${most}`, figure <= most);
}

export function wantBelow(what: string, figure: number, limit: number): void {
  tell(what, figure, `below ${limit}`, figure < limit);
}

/** A figure that is none (NaN) meets no goal. */
function tell(what: string, figure: number, wanted: string, isMet: boolean): void {
  console.log(`goal ${what}: ${Math.round(figure * 100) / 100}, ${wanted}: ${isMet ? 'met' : 'MISSED'}`);
  if (!isMet) process.exitCode = 1;
}
