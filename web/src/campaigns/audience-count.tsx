import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import { OpenedFigure } from './opened-figure.tsx';
import type { PeopleFigure } from './people-figure.ts';

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
  const figureOf = (known: number): PeopleFigure => ({
    ...{ source: 'segment', idCampaign: campaign.id, ids: positions, count: known },
    title: title(words.campaigns.people(format.count(known), format.isOne(known))),
  });
  return (
    <OpenedFigure figure={count === undefined ? undefined : figureOf(count)}>
      {count !== undefined && format.count(isExcluded ? -count : count)}
    </OpenedFigure>
  );
}
