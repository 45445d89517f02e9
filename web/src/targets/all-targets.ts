import { keepPreviousData } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

export type ListedTarget = components['schemas']['TargetListItem'];

/** The query of all targets that are not archived. */
export const allTargetsQuery = (idsite: string) => ({
  queryKey: ['targets', idsite, 'list', 'all'],
  placeholderData: keepPreviousData,
  queryFn: () => dataOf(api.GET('/v1/{idsite}/targets/all', { params: { path: { idsite } } })),
});

/** Whether campaigns can have it as a segment; targets of test mailings are for tests only. */
export const isForCampaigns = ({ isTestTarget }: ListedTarget): boolean => !isTestTarget;
export const isForTests = ({ isTestTarget }: ListedTarget): boolean => isTestTarget;
