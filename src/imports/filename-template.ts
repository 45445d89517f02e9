import { parisTimeOf } from '../platform/paris-time.ts';

const placeholder = /\{([^{}]*)\}/g;

type WallTime = ReturnType<typeof parisTimeOf>;
const parts: Readonly<Record<string, (time: WallTime) => string>> = {
  yyyy: ({ year }) => String(year).padStart(4, '0'),
  MM: ({ month }) => twoDigits(month),
  dd: ({ day }) => twoDigits(day),
  HH: ({ hour }) => twoDigits(hour),
  mm: ({ minute }) => twoDigits(minute),
};
const twoDigits = (n: number) => String(n).padStart(2, '0');

/** The rule that a template breaks, or undefined. */
export function templateFault(template: string): string | undefined {
  const known = Object.keys(parts).map((name) => `{${name}}`);
  for (const [written, name = ''] of template.matchAll(placeholder)) {
    if (!Object.hasOwn(parts, name)) return `${written} is none of ${known.join(' ')}`;
  }
  return /[{}]/.test(template.replaceAll(placeholder, ''))
    ? 'a brace is not closed or not opened'
    : undefined;
}

/** The name of the file of a run that is planned for an instant: `people_{yyyy}{MM}{dd}.csv`, in Paris time. */
export function filenameAt(template: string, planned: Date): string {
  const time = parisTimeOf(planned);
  return template.replaceAll(placeholder, (written, name: string) => parts[name]?.(time) ?? written);
}
