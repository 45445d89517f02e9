import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useSite } from '../session/session.tsx';

/** How a file is read, as far as the user has said it; the service guesses the rest. */
export interface Reading {
  readonly codepage?: number;
  readonly columnDelimiter?: string;
  readonly columnNamesFirstLine?: boolean;
  readonly sheetName?: string;
}

/** The key of all previews of a file. */
export const previewsOf = (idsite: string, file: string) => ['imports', idsite, 'preview', file];

/** The first rows of a file as the service reads them. */
export const previewQuery = (
  idsite: string,
  file: string,
  reading: Readonly<Omit<components['schemas']['NewPreview'], 'filename'>>,
) => ({
  queryKey: [...previewsOf(idsite, file), reading],
  queryFn: () =>
    dataOf(
      api.POST('/v1/{idsite}/imports/preview', {
        params: { path: { idsite } },
        body: { filename: file, ...reading },
      }),
    ),
});

/** The first rows of the file that is being prepared. @param isReady whether it is known how the file is read */
export function usePreview(file: string | undefined, reading: Reading, isReady = true) {
  const site = useSite();
  return useQuery({
    ...previewQuery(site.name, file ?? '', reading),
    enabled: file !== undefined && isReady && site.may('editor'),
    placeholderData: keepPreviousData,
    // A file that is prepared again later may have been replaced.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
