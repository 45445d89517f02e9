import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useSite } from '../session/session.tsx';
import { partQuery } from './campaign-query.ts';
import { type Content, draftOf } from './content.ts';

/** How long after the last keystroke the content is checked and previewed. */
const quietMs = 300;

const versions = new WeakMap<Content, number>();
let newest = 0;

/** A number for a content, by which a query knows it: the text itself may have two million characters. */
export function versionOf(content: Content): number {
  const known = versions.get(content);
  if (known !== undefined) return known;
  newest += 1;
  versions.set(content, newest);
  return newest;
}

/** The content as it was at the last pause of the user. */
export const useSettled = (content: Content): Content => useDebouncedValue(content, quietMs)[0];

/** The checklist that the campaign would have with the content as it is written. */
export function useChecked(idCampaign: number, settled: Content) {
  const site = useSite();
  const params = { path: { idsite: site.name, idCampaign } };
  const read = () =>
    dataOf(api.POST('/v1/{idsite}/campaigns/{idCampaign}/checklist', { params, body: draftOf(settled) }));
  return useQuery({
    ...partQuery(site.name, idCampaign, `check ${versionOf(settled)}`, read),
    placeholderData: keepPreviousData,
    gcTime: 0,
  }).data;
}
