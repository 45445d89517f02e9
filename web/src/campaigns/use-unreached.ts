import { useQuery } from '@tanstack/react-query';
import { useSite } from '../session/session.tsx';
import { idsOfPeople, type PeopleSource, unreachedStates } from './people-figure.ts';

/** Maximum number of people counted in each state and sending. */
const mostCounted = 20_000;
/** States that are counted while a sending runs. */
const runningStates = [...unreachedStates, 'deferred'] as const;
const bounces = ['nbHardBounces', 'nbSoftBounces', 'nbSpamBounces', 'nbDnsErrorsBounces'] as const;

/** Numbers of recipients whose message was not accepted, or whose outcome is unknown. */
export interface Unreached {
  readonly refused: number;
  readonly expired: number;
  readonly uncertain: number;
  /** Only while the sending runs; otherwise 0. */
  readonly deferred: number;
  /** Recipients among them with a bounce; the figures of the sending count them as sent as well. */
  readonly bounced: number;
  /** Whether there are more than were counted. */
  readonly isPartial: boolean;
}

interface Counted {
  readonly idSent: number;
  /** Bounces of the sending: without any, their people are not read. */
  readonly bounced: number;
}

async function countUnreached(
  idsite: string,
  sendings: readonly Counted[],
  isRunning: boolean,
): Promise<Unreached> {
  const counts = { refused: 0, expired: 0, uncertain: 0, deferred: 0, bounced: 0 };
  const states = isRunning ? runningStates : unreachedStates;
  let isPartial = false;
  for (const { idSent, bounced } of sendings) {
    const read = async (source: PeopleSource) => {
      const ids = await idsOfPeople(idsite, idSent, source, mostCounted);
      if (ids.length >= mostCounted) isPartial = true;
      return ids;
    };
    const lists = await Promise.all(states.map(read));
    states.forEach((state, index) => {
      counts[state] += lists[index]!.length;
    });
    const ids = new Set(lists.flat());
    if (bounced === 0 || ids.size === 0) continue;
    const reported = (await Promise.all(bounces.map(read))).flat();
    counts.bounced += reported.filter((id) => ids.has(id)).length;
  }
  return { ...counts, isPartial };
}

/** Counts the people that sendings did not reach, again each `renewMs` if it is given. The service lists them and does not count them. */
export const useUnreached = (sendings: readonly Counted[], renewMs: number | false): Unreached | undefined =>
  useUnreachedQuery(sendings, renewMs, false).data;

/** The query of `useUnreached`, which also knows whether it failed; of running sendings with those deferred. */
export function useUnreachedQuery(sendings: readonly Counted[], renewMs: number | false, isRunning: boolean) {
  const site = useSite();
  const ids = sendings.map(({ idSent }) => idSent);
  return useQuery({
    queryKey: ['unreached', site.name, ids, isRunning],
    enabled: ids.length > 0,
    refetchInterval: renewMs,
    queryFn: () => countUnreached(site.name, sendings, isRunning),
  });
}
