import type { Connection } from '../../platform/db/database.ts';
import { sql } from '../../platform/db/sql.ts';
import { hasEnded } from '../../platform/process-name.ts';

/** Milliseconds that a slot is held without being renewed. */
export const slotHeldMs = 15_000;

const heldUntil = sql`clock_timestamp() + ${slotHeldMs} * interval '1 ms'`;

/**
 * Brings the slots of `owner` to `wanted` of a limit's `max`, in one statement: renews its own, releases the surplus
 * and takes free ones. The limit holds over all processes; one that froze for longer than a slot is held may exceed
 * it for a moment.
 * @param key what is limited: `route:7`, `provider:3`
 * @returns the number of slots that `owner` has now.
 */
export async function keepSlots(
  control: Connection,
  key: string,
  owner: string,
  { max, wanted }: { readonly max: number; readonly wanted: number },
): Promise<number> {
  return control.run(sql`
    with chosen as materialized (
      select n as number
      from generate_series(1, ${max}::int) n
        left join facteur.connection_slot slot on slot.route = ${key} and slot.number = n
      where slot.owner is null or slot.owner = ${owner} or slot.held_until < clock_timestamp()
      order by slot.owner is not distinct from ${owner} desc, n
      limit ${wanted}),
    given_back as (
      delete from facteur.connection_slot
      where route = ${key} and owner = ${owner} and number not in (select number from chosen))
    insert into facteur.connection_slot as slot (route, number, owner, held_until)
    select ${key}, number, ${owner}, ${heldUntil} from chosen
    on conflict (route, number) do update
    set owner = excluded.owner, held_until = excluded.held_until
    where slot.held_until < clock_timestamp() or slot.owner = excluded.owner`);
}

/** Frees all slots that the owners hold: of one limit, or of all if `key` is omitted. */
export async function freeSlots(control: Connection, owners: readonly string[], key?: string): Promise<void> {
  await control.run(sql`
    delete from facteur.connection_slot
    where owner = any(${owners}::text[]) and (${key ?? null}::text is null or route = ${key ?? null})`);
}

/** Seconds after which the slots that do not divide go to the next process: none waits for ever where they are few. */
const turnS = 10;

/** The processes that want slots of a limit at this moment, we among them. */
export interface Demand {
  readonly count: number;
  /** Our place among them, from 0. */
  readonly rank: number;
  /** Grows with time, the same for all of them. */
  readonly turn: number;
}

/** How many of `max` slots are ours: an equal share, what is left over in turn. */
export function shareOf(max: number, { count, rank, turn }: Demand): number {
  return Math.floor(max / count) + ((rank + turn) % count < max % count ? 1 : 0);
}

/**
 * Notes that `owner` wants slots of a limit, and returns the demand of all processes. Frees everything that processes
 * of this machine left behind when they ended.
 */
export async function demandSlots(control: Connection, key: string, owner: string): Promise<Demand> {
  // Skips locked rows: processes that clear up at the same time do not wait for each other.
  const { wanting, holding, turn } = await control.one<{
    wanting: string[];
    holding: string[];
    turn: number;
  }>(sql`
    with gone as (
      select owner from facteur.slot_demand
      where route = ${key} and until < clock_timestamp() - interval '1 minute' and owner <> ${owner}
      for update skip locked),
    cleared as (
      delete from facteur.slot_demand d using gone where d.route = ${key} and d.owner = gone.owner),
    own as (
      insert into facteur.slot_demand as d (route, owner, until)
      values (${key}, ${owner}, clock_timestamp() + ${slotHeldMs} * interval '1 ms')
      on conflict (route, owner) do update set until = excluded.until)
    select
      array(select owner from facteur.slot_demand
        where route = ${key} and owner <> ${owner} and until > clock_timestamp()) as wanting,
      array(select distinct owner from facteur.connection_slot where route = ${key}) as holding,
      floor(extract(epoch from clock_timestamp()) / ${turnS})::int as turn`);
  const ended = [...new Set([...wanting, ...holding])].filter(hasEnded);
  if (ended.length > 0) {
    await freeSlots(control, ended);
    await endDemand(control, ended);
  }
  const others = wanting.filter((other) => !ended.includes(other));
  return { count: others.length + 1, rank: others.filter((other) => other < owner).length, turn };
}

/** Withdraws the owners' demand for slots of one limit, or of all if `key` is omitted; `freeSlots` frees the slots. */
export async function endDemand(control: Connection, owners: readonly string[], key?: string): Promise<void> {
  await control.run(sql`
    delete from facteur.slot_demand
    where owner = any(${owners}::text[]) and (${key ?? null}::text is null or route = ${key ?? null})`);
}

/**
 * The connection slots of one limit that this process holds: its share while other processes want some too, all of
 * them otherwise. A slot is released only when fewer are in use than are held, so the limit holds over all processes.
 */
export class SharedSlots {
  readonly #control: Connection;
  readonly #owner: string;
  readonly #key: string;
  readonly #inUse: () => number;
  #held = 0;
  #share = 0;
  /** End of the slots’ lease, by performance.now(). */
  #heldUntil = Number.NEGATIVE_INFINITY;
  #isAlive = false;

  /**
   * @param key what is limited: `route:7`, `provider:3`
   * @param inUse returns the number of slots in use.
   */
  constructor(control: Connection, owner: string, key: string, inUse: () => number) {
    this.#control = control;
    this.#owner = owner;
    this.#key = key;
    this.#inUse = inUse;
  }

  /** Slots that may be in use now. Fewer than are held while our share shrinks, so that their number falls to it. */
  get usable(): number {
    return performance.now() < this.#heldUntil ? Math.min(this.#held, this.#share) : 0;
  }

  /** Whether any slot may be held or demanded. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Whether we hold exactly our share: nothing changes until another process comes or goes. */
  get isSettled(): boolean {
    return this.#held === this.#share;
  }

  /** Whether slots are held that we neither use nor may use. */
  get hasExcess(): boolean {
    return this.#held > Math.max(this.#share, this.#inUse());
  }

  /**
   * Renews the slots, and moves their number towards our share of `max`. One call at a time.
   * @param wants whether more may be put to use; if not, only those in use are kept.
   */
  async renew(max: number, wants: boolean): Promise<void> {
    this.#isAlive = true;
    this.#share = wants ? shareOf(max, await demandSlots(this.#control, this.#key, this.#owner)) : 0;
    if (!wants) await endDemand(this.#control, [this.#owner], this.#key);
    const wanted = Math.max(this.#share, this.#inUse());
    // No slot is put to use that the statement is to release, whether or not its answer arrives.
    this.#held = Math.min(this.#held, wanted);
    const before = performance.now();
    this.#held = await keepSlots(this.#control, this.#key, this.#owner, { max, wanted });
    this.#heldUntil = before + slotHeldMs;
  }

  /** Gives all slots back. None may be in use, unless the limit no longer exists. */
  async giveBack(): Promise<void> {
    this.#held = 0;
    this.#share = 0;
    await freeSlots(this.#control, [this.#owner], this.#key);
    await endDemand(this.#control, [this.#owner], this.#key);
    this.#isAlive = false;
  }
}

/** Not asked more often than this: as long as a message that found no slot is set aside. */
const standardPauseMs = 200;
/** Without a message for so long, what is held goes back. */
const idleMs = 2_000;

/**
 * The connections to one provider that this process may use: its slots of the provider's limit. It takes them when
 * messages ask for them, and gives them back when none is needed.
 */
export class ProviderSlots {
  readonly #slots: SharedSlots;
  readonly #pauseMs: number;
  #underWay = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  #wantedAt = Number.NEGATIVE_INFINITY;
  #asking: Promise<void> | undefined;
  /** Who found no slot, who waits longest first. */
  readonly #waiting = new Set<() => void>();

  constructor(control: Connection, owner: string, idProvider: number, pauseMs = standardPauseMs) {
    this.#slots = new SharedSlots(control, owner, `provider:${idProvider}`, () => this.#underWay);
    this.#pauseMs = pauseMs;
  }

  /** How many messages may begin now; when none may, `wake` is called once as soon as one may. `max` 0: no limit. */
  room(max: number, wake: () => void): number {
    if (max === 0) return Number.POSITIVE_INFINITY;
    this.#wantedAt = performance.now();
    const room = this.#slots.usable - this.#underWay;
    if (room <= 0) this.#waiting.add(wake);
    return Math.max(0, room);
  }

  /** Counts a message running. Only when there is room for it. */
  begin(): void {
    this.#underWay += 1;
  }

  leave(): void {
    if (this.#waiting.size === 0) {
      this.#underWay -= 1;
      return;
    }
    // Not at once: anyone who had the slot continues by itself, before all who are woken, and would keep it from
    // them.
    setImmediate(() => {
      this.#underWay -= 1;
      this.#wakeAll();
    });
  }

  #wakeAll(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Whether anything is held or wanted, so that `renew` has something to do; never without a limit. */
  get isAlive(): boolean {
    return this.#slots.isAlive || this.#isWanted;
  }

  get #isWanted(): boolean {
    return performance.now() - this.#wantedAt < idleMs;
  }

  /** Brings the slots to our share of `max`, every 200 ms at most; gives them back when nothing needs them. */
  renew(max: number): Promise<void> {
    if (!this.#asking && performance.now() - this.#askedAt >= this.#pauseMs) {
      this.#askedAt = performance.now();
      this.#asking = this.#ask(max).finally(() => {
        this.#asking = undefined;
      });
    }
    return this.#asking ?? Promise.resolve();
  }

  async #ask(max: number): Promise<void> {
    if (max === 0 || (!this.#isWanted && this.#underWay === 0)) return this.#slots.giveBack();
    await this.#slots.renew(max, this.#isWanted);
    if (this.#slots.usable > this.#underWay) this.#wakeAll();
  }
}
