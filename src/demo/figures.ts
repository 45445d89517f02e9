import type { Terminal } from './terminal.ts';

type Figure = number | string;

/** Names of the figures that are not as expected. */
export function differing<Counted extends object>(counted: Counted, expected: Partial<Counted>): string[] {
  const names = Object.keys(expected) as (keyof Counted & string)[];
  return names.filter((name) => counted[name] !== expected[name]);
}

/** Prints each figure beside what was done; the names of those that differ. */
export function compareFigures<Counted extends object>(
  counted: Counted,
  expected: Partial<Counted>,
  out: Terminal,
): string[] {
  const wrong = differing(counted, expected);
  for (const [name, value] of Object.entries(expected) as [keyof Counted & string, Figure][]) {
    const figures = `${String(counted[name]).padStart(7)}   done ${String(value).padStart(7)}`;
    out.say(`${name.padEnd(22)} ${figures}   ${wrong.includes(name) ? 'DIFFERS' : 'agrees'}`);
  }
  return wrong;
}
