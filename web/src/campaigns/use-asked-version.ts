import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isSameVersion } from '../api/versions.ts';
import { useSite } from '../session/session.tsx';
import type { Campaign } from './campaign.ts';
import { campaignQuery, type ReadCampaign } from './campaign-query.ts';
import { changedParts, contentOf } from './content.ts';

/** The version of a campaign that the user is asked about. */
export interface AskedVersion {
  readonly read: UseQueryResult<ReadCampaign>;
  /** Undefined until it is read. */
  readonly asked: ReadCampaign | undefined;
  /** The parts in which it differs from the version that was asked about before. */
  readonly changed: ReturnType<typeof changedParts> | undefined;
  /** Reads it again; whether it is the version that was asked about. If not, the new one is asked about. */
  readonly stillHolds: () => Promise<boolean>;
}

/** The stored version of a campaign that the user is asked about, as it is read when the question opens. */
export function useAskedVersion({ id }: Campaign): AskedVersion {
  const read = useQuery({ ...campaignQuery(useSite().name, id), staleTime: 0 });
  const [openedAt] = useState(Date.now);
  const [asked, setAsked] = useState<ReadCampaign>();
  const [changed, setChanged] = useState<ReturnType<typeof changedParts>>();
  if (!asked && read.data && !read.isFetching && read.dataUpdatedAt >= openedAt) setAsked(read.data);
  return {
    read,
    asked,
    changed,
    stillHolds: async () => {
      const { data: now } = await read.refetch({ throwOnError: true });
      if (!now || !asked || isSameVersion(now.etag, asked.etag)) return true;
      setChanged(changedParts(contentOf(asked), contentOf(now)));
      setAsked(now);
      return false;
    },
  };
}
