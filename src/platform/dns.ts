import { Resolver } from 'node:dns/promises';
import type { Config } from '../config.ts';

/** Time of one attempt in milliseconds, and the number of attempts. */
interface Patience {
  readonly timeout: number;
  readonly tries: number;
}

/** A resolver that asks the configured DNS servers; without any, those of the machine. */
export function dnsResolver({ dnsServers }: Pick<Config, 'dnsServers'>, patience: Patience): Resolver {
  const resolver = new Resolver(patience);
  if (dnsServers.length > 0) resolver.setServers([...dnsServers]);
  return resolver;
}

/** Answers that mean that there is no such record. */
const noSuchRecord: readonly unknown[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];

/** The records that a look-up finds, none if the name has none; undefined if DNS does not respond. */
export async function recordsOf<T>(lookUp: Promise<readonly T[]>): Promise<readonly T[] | undefined> {
  try {
    return await lookUp;
  } catch (error) {
    return noSuchRecord.includes((error as { code?: unknown }).code) ? [] : undefined;
  }
}
