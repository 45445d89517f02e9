/** Each goal is reported in one line of the same form; a missed one makes the process end with 1. */

/** @param what the figure with its unit, e.g. `memory of the service, MB` */
export function wantAtLeast(what: string, figure: number, least: number): void {
  tell(what, figure, `at least ${rounded(least)}`, figure >= least);
}

export function wantAtMost(what: string, figure: number, most: number): void {
  tell(what, figure, `at most ${most}`, figure <= most);
}

export function wantBelow(what: string, figure: number, limit: number): void {
  tell(what, figure, `below ${limit}`, figure < limit);
}

/** NaN meets no goal. */
function tell(what: string, figure: number, wanted: string, isMet: boolean): void {
  console.log(`goal ${what}: ${rounded(figure)}, ${wanted}: ${isMet ? 'met' : 'MISSED'}`);
  if (!isMet) process.exitCode = 1;
}

const rounded = (figure: number) => Math.round(figure * 100) / 100;
