import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { fieldIds } from '../subscribers/fields.ts';
import { addressOf } from '../subscribers/subscriber.ts';
import { partQuery, type Segment, segmentsQuery } from './campaign-query.ts';
import { type Content, draftOf } from './content.ts';
import { mayReceive } from './test-people.ts';
import { versionOf } from './use-checked.ts';

/** Number of people read at once while the user steps through a segment. */
const pageSize = 50;

/** Addresses of subscribers that have the text in their address or in a field. */
export const foundReadersQuery = (idsite: string, search: string) => ({
  queryKey: ['subscribers', idsite, 'readers', search],
  queryFn: async ({ signal }: { readonly signal: AbortSignal }) => {
    const query = { search, 'filter.idFields': [fieldIds.email] };
    const page = await dataOf(
      api.GET('/v1/{idsite}/subscribers/search', { params: { path: { idsite }, query }, signal }),
    );
    return page.subscribers.map((one) => addressOf(one)).slice(0, 20);
  },
});

/** A page of the people of a target, by id. */
const peopleQuery = (idsite: string, idTarget: number, page: number) => ({
  queryKey: ['targets', idsite, idTarget, 'readers', page],
  queryFn: async () => {
    const query = {
      property: `fld${fieldIds.id}`,
      direction: 'ASC',
      start: page * pageSize,
      page: page + 1,
      limit: pageSize,
    };
    return dataOf(
      api.GET('/v1/{idsite}/targets/{idTarget}/subscribers', {
        params: { path: { idsite, idTarget }, query },
      }),
    );
  },
});

interface Chosen {
  /** The place among the people of the target; undefined if the reader was searched for. */
  readonly index: number | undefined;
  readonly email: string;
}

/** The message as one reader gets it, and the ways to another reader. */
export function useReaders(idCampaign: number, settled: Content) {
  const site = useSite();
  const all = useQuery(segmentsQuery(site.name, idCampaign)).data ?? noSegments;
  const segments = all.filter(({ parameters }) => !parameters.isExcluded);
  const [wanted, setPosition] = useState<number>();
  const [chosen, setChosen] = useState<Chosen>();
  const segment = segments.find(({ position }) => position === wanted) ?? segments[0];
  const email = chosen?.email;
  const build = () =>
    dataOf(
      api.POST('/v1/{idsite}/campaigns/{idCampaign}/segments/{segmentPosition}/preview', {
        params: { path: { idsite: site.name, idCampaign, segmentPosition: segment!.position } },
        body: { ...draftOf(settled), ...(email !== undefined && { email }) },
      }),
    );
  const { data, error } = useQuery({
    ...partQuery(
      site.name,
      idCampaign,
      `preview ${segment?.position} ${versionOf(settled)} ${email ?? ''}`,
      build,
    ),
    enabled: segment !== undefined,
    placeholderData: keepPreviousData,
    retry: false,
    gcTime: 0,
  });
  const index = chosen?.index ?? 0;
  const target = segment?.parameters.idTarget ?? 0;
  const page = (number: number) => ({ ...peopleQuery(site.name, target, number), staleTime: 60_000 });
  const people = useQuery({ ...page(Math.floor(index / pageSize)), enabled: segment !== undefined });
  // Ready before the user gets there.
  const next = useQuery({
    ...page(Math.floor(index / pageSize) + 1),
    enabled: people.data?.length === pageSize,
  });
  const isRefused = error instanceof ApiError && error.status < 500;
  return {
    segments,
    position: segment?.position,
    setPosition: (position: number) => {
      setPosition(position);
      setChosen(undefined);
    },
    /** Undefined while there is no segment, or if the message cannot be built. */
    message: error || !segment ? undefined : data,
    isRefused,
    isReaderMissing: !segment || (error instanceof ApiError && error.status === 404),
    choose: (address: string) => setChosen({ index: undefined, email: address }),
    /** Goes on to the next reader of the segment who may get it, or back to the one before. */
    step: (by: 1 | -1) => {
      const first = Math.floor(index / pageSize) * pageSize;
      const known = [...(people.data ?? []), ...(next.data ?? [])];
      const isNew = chosen?.index === undefined;
      for (
        let at = index - first + (isNew && by === 1 && !data ? 0 : by);
        at >= 0 && at < known.length;
        at += by
      )
        if (mayReceive(known[at]!)) return setChosen({ index: first + at, email: addressOf(known[at]!) });
      if (by === -1 && first > 0) setChosen({ index: first - 1, email: email ?? '' });
    },
  };
}
export type Readers = ReturnType<typeof useReaders>;

const noSegments: readonly Segment[] = [];
