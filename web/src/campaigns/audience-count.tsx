import { useState } from 'react';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { useWords } from '../words/words.tsx';
import type { Campaign } from './campaign.ts';
import type { PeopleFigure } from './people-figure.ts';

const People = lazyPart(async () => (await import('./people.tsx')).People);

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
  const [figure, setFigure] = useState<PeopleFigure>();
  const [wasOpen, setWasOpen] = useState(false);
  if (count === undefined) return <>–</>;
  const text = format.count(isExcluded ? -count : count);
  if (count === 0) return <>{text}</>;
  const label = title(words.campaigns.people(format.count(count), count === 1));
  const open = () => {
    setWasOpen(true);
    setFigure({ source: 'segment', idCampaign: campaign.id, ids: positions, count, title: label });
  };
  const close = () => setFigure(undefined);
  return (
    <>
      <button type="button" className="fig" aria-label={label} title={label} onClick={open}>
        {text}
      </button>
      {wasOpen && (
        <Opened close={close} isOpen={figure !== undefined}>
          <People figure={figure} close={close} />
        </Opened>
      )}
    </>
  );
}
