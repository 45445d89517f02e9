import { invalid } from './refusal.ts';

/** A name without the spaces around it. @throws 400 for one that nobody could see */
export function visibleName(name: string, member = 'name'): string {
  const trimmed = name.trim();
  if (trimmed === '') throw invalid(`${member}: must not be blank`);
  return trimmed;
}
