import { NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { ChoiceState } from '../parts/choice-state.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import type { Segment } from './campaign-query.ts';
import { useSegments } from './use-segments.ts';

interface AdvertisementsProps {
  readonly campaign: Campaign;
  readonly segment: Segment;
  readonly html: string;
  readonly isReadOnly: boolean;
}

/** The advertisement of a segment at each [[ENCART.n]] of the message. */
export function Advertisements({ campaign, segment, html, isReadOnly }: AdvertisementsProps) {
  const { words } = useWords();
  const texts = words.campaignParts;
  const site = useSite();
  const refusal = useRefusal();
  const { place } = useSegments(campaign);
  const written = [...html.matchAll(/\[\[\s*ENCART\.(\d{1,6})\s*\]\]/gi)].map(([, number]) => Number(number));
  const placed = segment.advertisements.map(({ position }) => position);
  const positions = [...new Set([...written, ...placed])].sort((a, b) => a - b);
  const query = useQuery({
    queryKey: ['advertisements', site.name],
    enabled: positions.length > 0,
    queryFn: () =>
      dataOf(api.GET('/v1/{idsite}/advertisements', { params: { path: { idsite: site.name } } })),
  });
  const { data: all = [] } = query;
  if (positions.length === 0 || segment.parameters.isExcluded) return null;
  return (
    <div className="segment-fields">
      {positions.map((position) => {
        const chosen = segment.advertisements.find((one) => one.position === position);
        return (
          <NativeSelect
            key={position}
            data-place="advertisement"
            label={texts.audience.advertisement(String(position))}
            disabled={isReadOnly}
            value={String(chosen?.idAdvertisement ?? '')}
            onChange={({ currentTarget: { value } }) =>
              void place(segment.id, position, value === '' ? null : Number(value)).catch((error: unknown) =>
                toast({ text: refusal(error) }),
              )
            }
            data={[
              { value: '', label: texts.options.none },
              ...all
                .filter(({ id, isArchive }) => !isArchive || id === chosen?.idAdvertisement)
                .map(({ id, name }) => ({ value: String(id), label: name })),
              ...(chosen && !query.data
                ? [{ value: String(chosen.idAdvertisement), label: String(chosen.idAdvertisement) }]
                : []),
            ]}
          />
        );
      })}
      <ChoiceState query={query} />
    </div>
  );
}
