import type { Counters } from '../activity/counters.ts';

/** Of fewer, some bounces more or less say nothing. */
const fewest = 100;
const share = 0.98;

/**
 * Were the messages of a job delivered as well as one can hope? Delivered is what the counters call so, of all whom the
 * job tried to write to: those whom a relay refused, for whatever reason, count against it, though they are not sent.
 * @param tried recipients with a final state, but those who were cancelled
 */
export function isHighDelivery({ nbDelivered }: Pick<Counters, 'nbDelivered'>, tried: number): boolean {
  return tried >= fewest && nbDelivered >= share * tried;
}
