import { ActionIcon } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { useAct } from '../parts/use-act.ts';
import { useSite } from '../session/session.tsx';
import { isForCampaigns } from '../targets/all-targets.ts';
import { TargetChoice } from '../targets/target-choice.tsx';
import { useWords } from '../words/words.tsx';
import { AudienceCount } from './audience-count.tsx';
import type { Campaign } from './campaign.ts';
import { countsQuery, type Segment, type SegmentCount, segmentsQuery } from './campaign-query.ts';
import type { BrokenTarget } from './finding-words.ts';
import { useBrokenTargets } from './use-broken-targets.ts';
import { useRemoveSegment, useSegments } from './use-segments.ts';

/** People of the segments that are not excluded. */
export function audienceOf(
  segments: readonly { id: number; parameters: { isExcluded: boolean } }[],
  counts: readonly { idSegment: number; segmentCount: number }[],
): number {
  const excluded = new Set(segments.filter(({ parameters }) => parameters.isExcluded).map(({ id }) => id));
  return counts.reduce((sum, one) => sum + (excluded.has(one.idSegment) ? 0 : one.segmentCount), 0);
}

export const colours = ['var(--f-c1)', 'var(--f-c1-2)', 'var(--f-c2)', 'var(--f-c3)'] as const;

/** Who gets the message: the number of people, and the segments that add up to it. */
export function Audience({
  campaign,
  isReadOnly,
}: {
  readonly campaign: Campaign;
  readonly isReadOnly: boolean;
}) {
  const { words, format } = useWords();
  const { composer } = words;
  const { audience } = words.campaignParts;
  const refusal = useRefusal();
  const site = useSite();
  const segments = useQuery(segmentsQuery(site.name, campaign.id)).data ?? [];
  const counting = useQuery({ ...countsQuery(site.name, campaign.id), placeholderData: keepPreviousData });
  // What was counted before a segment broke is no count of it.
  const counts = counting.isError ? [] : (counting.data ?? []);
  const people = audienceOf(segments, counts);
  const broken = useBrokenTargets(campaign);
  return (
    <section>
      <div className="rail-head">
        <h2>{composer.audience}</h2>
        {counting.isFetching && <span className="label text-3">{composer.counting}</span>}
      </div>
      <p aria-live="polite">
        <span className="figure-2" style={{ opacity: counting.isFetching ? 0.6 : 1 }}>
          <AudienceCount
            campaign={campaign}
            positions={segments.flatMap(({ position, parameters }) =>
              parameters.isExcluded ? [] : [position],
            )}
            count={counting.data && !counting.isError ? people : undefined}
            title={audience.peopleOfAll}
          />
        </span>{' '}
        <span className="text-2">{format.isOne(people) ? composer.person : composer.people}</span>
      </p>
      {counting.isError && !counting.isFetching && broken.size === 0 && (
        <p className="small red">
          {audience.notCounted} {refusal(counting.error)}{' '}
          <button type="button" className="link" onClick={() => void counting.refetch()}>
            {words.errors.tryAgain}
          </button>
        </p>
      )}
      <div className="meter" aria-hidden style={{ margin: '10px 0' }}>
        {segments.map(({ id, parameters }, index) => {
          const count = counts.find(({ idSegment }) => idSegment === id)?.segmentCount ?? 0;
          if (parameters.isExcluded || people === 0) return null;
          return (
            <i
              key={id}
              style={{ width: `${(100 * count) / people}%`, background: colours[index % colours.length] }}
            />
          );
        })}
      </div>
      <ul className="audience">
        {segments.length === 0 && <li className="small text-3">{composer.noSegment}</li>}
        {segments.map((segment, index) => (
          <SegmentEntry
            key={segment.id}
            campaign={campaign}
            segment={segment}
            colour={colours[index % colours.length]!}
            count={counts.find(({ idSegment }) => idSegment === segment.id)}
            broken={broken.get(segment.parameters.idTarget)}
            isReadOnly={isReadOnly}
          />
        ))}
      </ul>
      {!isReadOnly && <AddSegment campaign={campaign} />}
    </section>
  );
}

interface SegmentEntryProps {
  readonly campaign: Campaign;
  readonly segment: Segment;
  readonly colour: string;
  readonly count: SegmentCount | undefined;
  readonly broken: BrokenTarget | undefined;
  readonly isReadOnly: boolean;
}

function SegmentEntry({ campaign, segment, colour, count, broken, isReadOnly }: SegmentEntryProps) {
  const { words, format } = useWords();
  const { composer } = words;
  const { audience } = words.campaignParts;
  const { name, isExcluded } = segment.parameters;
  const remove = useRemoveSegment(campaign);
  return (
    <li data-broken={broken && true}>
      <span className="swatch" style={{ background: isExcluded ? 'transparent' : colour }} aria-hidden />
      <span className="grow">
        <span className="strong cut" style={{ display: 'block' }}>
          {name}
        </span>
        <span className="label text-3">
          {count && composer.inTarget(format.count(count.targetCount))}
          {isExcluded && ` · ${composer.excluded}`}
          {broken ? (
            <span className="red">{audience.brokenTarget(broken.reason)}</span>
          ) : (
            !segment.isSafe && <span className="red"> · {composer.notSafe}</span>
          )}
        </span>
      </span>
      <span>
        <AudienceCount
          campaign={campaign}
          positions={[segment.position]}
          count={count?.segmentCount}
          title={(people) =>
            isExcluded ? audience.peopleOut(people, name) : audience.peopleOf(people, name)
          }
          isExcluded={isExcluded}
        />
      </span>
      {!isReadOnly && (
        <ActionIcon
          size="sm"
          aria-label={composer.remove(name)}
          title={composer.remove(name)}
          onClick={() => remove(segment)}
        >
          <IconX size={16} aria-hidden />
        </ActionIcon>
      )}
    </li>
  );
}

/** A choice of a target, which becomes a segment. */
export function AddSegment({ campaign }: { readonly campaign: Campaign }) {
  const { composer } = useWords().words;
  const { add } = useSegments(campaign);
  const act = useAct();
  const [search, setSearch] = useState('');
  const choose = (idTarget: string, name: string) => {
    setSearch('');
    act(() =>
      add({
        name,
        idTarget: Number(idTarget),
        isExcluded: false,
        isRandom: false,
        percent: 100,
        mailObject: null,
        senderAlias: null,
        fixedValues: 0,
      }),
    );
  };
  return (
    <TargetChoice
      data-place="new-segment"
      aria-label={composer.addSegment}
      placeholder={composer.addSegment}
      leftSection={<IconPlus size={16} aria-hidden />}
      isChoice={isForCampaigns}
      searchValue={search}
      onSearchChange={setSearch}
      value={null}
      choose={choose}
      mt={12}
    />
  );
}
