import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { OpenedFigure } from './opened-figure.tsx';

interface AudienceCountProps {
  readonly campaign: Campaign;
  /** Positions of the segments that are counted together. */
  readonly positions: readonly number[];
  /** Undefined while it is not known. */
  readonly count: number | undefined;
  /** The title of the list, from the number of people in words. */
  readonly title: (people: string) => string;
  /** Whether these people get nothing. */
  readonly isExcluded?: boolean;
}

/** A count of segments that opens its people; an en dash while it is not known. */
export function AudienceCount({ campaign, positions, count, title, isExcluded = false }: AudienceCountProps) {
  const { words, format } = useWords();
  if (count === undefined) return <>–</>;
  const titled = title(words.campaigns.people(format.count(count), count === 1));
  return (
    <OpenedFigure
      figure={{ source: 'segment', idCampaign: campaign.id, ids: positions, count, title: titled }}
    >
      {format.count(isExcluded ? -count : count)}
    </OpenedFigure>
  );
}
