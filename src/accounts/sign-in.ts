import { hash, verify } from '@node-rs/argon2';
import { LRUCache } from 'lru-cache';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { Connection, Database } from '../platform/db/database.ts';
import { consume } from '../platform/http/consume.ts';
import { networkOf } from '../platform/network.ts';
import { remembered } from '../platform/remembered.ts';
import { signInUser } from './user-store.ts';

/** Wrong passwords for one account in five minutes, from addresses that it was never used from. */
export const wrongPasswordsOfAccount = 10;
/** Wrong passwords from one address in five minutes, for any accounts. */
export const wrongPasswordsOfAddress = 50;
/** Sign-ins other than by password that one address can begin, or end, in five minutes. */
export const otherSignInsOfAddress = 100;
/** Password links that one account can be sent in an hour. */
export const linksOfAccount = 3;
/** Password links that one address can request, and attempts to use one, in an hour. */
export const linksOfAddress = 20;

const fiveMinutes = 300;
const hour = 3_600;

/** The limits on attempts to get in, of one process. */
class EntryLimits {
  readonly #wrongOfAccount = new RateLimiterMemory({
    points: wrongPasswordsOfAccount,
    duration: fiveMinutes,
  });
  readonly #wrongOfAddress = new RateLimiterMemory({
    points: wrongPasswordsOfAddress,
    duration: fiveMinutes,
  });
  readonly #otherOfAddress = new RateLimiterMemory({ points: otherSignInsOfAddress, duration: fiveMinutes });
  readonly #linksOfAccount = new RateLimiterMemory({ points: linksOfAccount, duration: hour });
  readonly #linksOfAddress = new RateLimiterMemory({ points: linksOfAddress, duration: hour });
  /** Accounts and the addresses that they were used from: a stranger's attempts do not shut these out. */
  readonly #known = new LRUCache<string, true>({ max: 10_000, ttl: 30 * 24 * hour * 1000 });

  /** Counts an attempt as wrong at first, or a burst would pass the limit; returns what takes it back. @throws 429 */
  async countPassword(account: string, clientAddress: string | null): Promise<() => Promise<void>> {
    const address = networkOf(clientAddress ?? '');
    const name = nameOf(account);
    const pair = `${address} ${name}`;
    // A stranger behind the same proxy does not shut out the people who work there: their pairs have own counts.
    const isKnown = this.#known.has(pair);
    const key = isKnown ? pair : name;
    if (!isKnown) await consume(this.#wrongOfAddress, address);
    await consume(this.#wrongOfAccount, key);
    return async () => {
      this.#known.set(pair, true);
      await this.#wrongOfAccount.delete(key);
      if (!isKnown) await this.#wrongOfAddress.reward(address);
    };
  }

  /** Counts a step of a sign-in by the company's account or a passkey. @throws 429 */
  async countOther(clientAddress: string | null): Promise<void> {
    await consume(this.#otherOfAddress, networkOf(clientAddress ?? ''));
  }

  /** @throws 429 */
  async countLink(account: string | undefined, clientAddress: string | null): Promise<void> {
    await consume(this.#linksOfAddress, networkOf(clientAddress ?? ''));
    if (account !== undefined) await consume(this.#linksOfAccount, nameOf(account));
  }
}

/** An account's name in the limits. PostgreSQL may lower `İ` to `i`, where JavaScript leaves a dot above it. */
const nameOf = (account: string): string => account.toLowerCase().replaceAll('\u0307', '');

/** The limits of a process, which has one database. */
export const entryLimits = remembered((_control: Database) => new EntryLimits());

/** The user of an address with this password; undefined for any other, always at the cost of an argon2id hash. */
export async function userOfPassword(
  control: Connection,
  email: string,
  password: string,
): ReturnType<typeof signInUser> {
  const user = await signInUser(control, email);
  if (!user) {
    await hash(password);
    return undefined;
  }
  return (await verify(user.passwordHash, password)) ? user : undefined;
}
