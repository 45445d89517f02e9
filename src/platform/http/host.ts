import { normaliseHost } from '../host-name.ts';
import { invalid } from './refusal.ts';
import { Line, Type } from './schema.ts';

/** A host that a caller names; `hostOf` reads it. Four times the length of a name: IDNA can make names shorter. */
export const Host = (example: string) =>
  Type.String({
    ...Line(1012, 'A host name or an IP address, without a port'),
    examples: [example],
  });

/** The host as it is kept. @throws 400 for what is neither a host name nor an IP address */
export function hostOf(text: string): string {
  const host = normaliseHost(text);
  if (host === undefined) throw invalid('host: must be a host name or an IP address, without a port');
  return host;
}
