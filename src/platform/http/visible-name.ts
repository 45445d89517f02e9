import { invalid } from './refusal.ts';

/** Returns a name without the spaces around it. @throws 400 for a name without a visible character */
export function visibleName(name: string, member = 'name'): string {
  const trimmed = name.trim();
  if (trimmed === '') throw invalid(`${member}: must not be blank`);
  return trimmed;
}
