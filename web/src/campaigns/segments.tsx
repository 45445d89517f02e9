import { ActionIcon } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconGripVertical, IconX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { DragEvent, KeyboardEvent } from 'react';
import { useState } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { AbTest } from './ab-test.tsx';
import { Advertisements } from './advertisements.tsx';
import { AddSegment, colours } from './audience.tsx';
import { AudienceCount } from './audience-count.tsx';
import type { Campaign } from './campaign.ts';
import { countsQuery, type Segment, type SegmentCount, segmentsQuery } from './campaign-query.ts';
import type { BrokenTarget } from './finding-words.ts';
import { SegmentConflict, SegmentFields } from './segment-fields.tsx';
import { useBrokenTargets } from './use-broken-targets.ts';
import type { Draft } from './use-draft.ts';
import { useSegmentValues } from './use-segment-values.ts';
import { useRemoveSegment, useSegments } from './use-segments.ts';

interface SegmentsProps {
  readonly campaign: Campaign;
  readonly draft: Draft;
  readonly isReadOnly: boolean;
}

/** The segments in full: order, share, exclusion, own subject and advertisements of each. */
export function SegmentsPart({ campaign, draft, isReadOnly }: SegmentsProps) {
  const { words } = useWords();
  const texts = words.campaignParts.audience;
  const site = useSite();
  const segments = useQuery(segmentsQuery(site.name, campaign.id)).data ?? [];
  const counting = useQuery({ ...countsQuery(site.name, campaign.id), placeholderData: keepPreviousData });
  const counts = counting.isError ? [] : (counting.data ?? []);
  const broken = useBrokenTargets(campaign);
  const move = useMove(campaign);
  const dragging = useDragging(segments, move);
  return (
    <section className="composer-wide" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <p className="small text-2">{texts.text}</p>
      <ol className="segment-cards">
        {segments.map((segment, index) => (
          <SegmentCard
            key={segment.id}
            campaign={campaign}
            segment={segment}
            colour={colours[index % colours.length]!}
            count={counts.find(({ idSegment }) => idSegment === segment.id)}
            isCounting={counting.isFetching}
            broken={broken.get(segment.parameters.idTarget)}
            isFirst={index === 0}
            isLast={index === segments.length - 1}
            move={(by) => move(segment, (from) => from + by)}
            dragging={dragging(segment, index)}
            html={draft.content.html}
            isReadOnly={isReadOnly}
          />
        ))}
      </ol>
      {!isReadOnly && (
        <div className="segment-add">
          <AddSegment campaign={campaign} />
        </div>
      )}
      <AbTest draft={draft} isReadOnly={isReadOnly} />
    </section>
  );
}

/** Moves a segment to the place that follows from its present one, both from 0, and offers to undo it. */
type Move = (segment: Segment, placeOf: (from: number) => number) => Promise<void>;

function useMove(campaign: Campaign): Move {
  const { words, format } = useWords();
  const texts = words.campaignParts.audience;
  const refusal = useRefusal();
  const { move } = useSegments(campaign);
  return async ({ id, parameters: { name } }, placeOf) => {
    try {
      const moved = await move(id, placeOf);
      if (!moved) return;
      toast({
        text: texts.moved(name, format.count(moved.to + 1)),
        seconds: 10,
        undo: async () => void (await move(id, () => moved.from)),
      });
    } catch (error) {
      toast({ text: refusal(error) });
    }
  };
}

/** What a card needs to be dragged, and to be a place for others. */
interface CardDragging {
  readonly isDragged: boolean;
  /** The edge where the dragged segment would be placed. */
  readonly edge: 'before' | 'after' | undefined;
  readonly start: (event: DragEvent) => void;
  readonly over: (event: DragEvent) => void;
  readonly drop: (event: DragEvent) => void;
  readonly end: () => void;
}

/** Puts segments in order by dragging; the keys and buttons of a card do the same. */
function useDragging(segments: readonly Segment[], move: Move) {
  const [dragged, setDragged] = useState<Segment>();
  const [place, setPlace] = useState<{ readonly id: number; readonly edge: 'before' | 'after' }>();
  const end = () => {
    setDragged(undefined);
    setPlace(undefined);
  };
  return (segment: Segment, index: number): CardDragging => ({
    isDragged: dragged?.id === segment.id,
    edge: place?.id === segment.id ? place.edge : undefined,
    start: (event) => {
      event.dataTransfer.effectAllowed = 'move';
      event.dataTransfer.setData('text/plain', segment.parameters.name);
      const card = event.currentTarget.closest('li');
      if (card) event.dataTransfer.setDragImage(card, 16, 16);
      setDragged(segment);
    },
    over: (event) => {
      if (!dragged) return;
      event.preventDefault();
      const { top, height } = event.currentTarget.getBoundingClientRect();
      const edge = event.clientY < top + height / 2 ? 'before' : 'after';
      if (dragged.id === segment.id) setPlace(undefined);
      else if (place?.id !== segment.id || place.edge !== edge) setPlace({ id: segment.id, edge });
    },
    drop: (event) => {
      // Text that is dragged is for the fields.
      if (!dragged) return;
      event.preventDefault();
      if (place) {
        const from = segments.findIndex(({ id }) => id === dragged.id);
        const behind = index + (place.edge === 'after' ? 1 : 0);
        // Without the dragged one, those behind it move up.
        void move(dragged, () => behind - (from < behind ? 1 : 0));
      }
      end();
    },
    end,
  });
}

interface SegmentCardProps {
  readonly campaign: Campaign;
  readonly segment: Segment;
  readonly colour: string;
  readonly count: SegmentCount | undefined;
  readonly isCounting: boolean;
  /** Set if the segment's target no longer works. */
  readonly broken: BrokenTarget | undefined;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly move: (by: 1 | -1) => Promise<void>;
  readonly dragging: CardDragging;
  readonly html: string;
  readonly isReadOnly: boolean;
}

function SegmentCard(props: SegmentCardProps) {
  const { campaign, segment, colour, count, isCounting, broken, isFirst, isLast, move, html, isReadOnly } =
    props;
  const { dragging } = props;
  const { words, format } = useWords();
  const { composer } = words;
  const texts = words.campaignParts.audience;
  const refusal = useRefusal();
  const remove = useRemoveSegment(campaign);
  const edited = useSegmentValues(campaign, segment);
  const { values, change, error, conflict } = edited;
  const { name, isExcluded } = values;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined;
    // On a choice, these keys open its list.
    const isChoice =
      event.target instanceof Element && event.target.closest('select, [role="combobox"]') !== null;
    if (!event.altKey || by === undefined || isReadOnly || isChoice) return;
    event.preventDefault();
    void move(by);
  };
  const left = count ? count.targetCount - count.deDuplicatedCount : 0;
  return (
    <li
      className="card segment-card"
      data-target={segment.parameters.idTarget}
      data-broken={broken && true}
      data-dragged={dragging.isDragged || undefined}
      data-edge={dragging.edge}
      onKeyDown={onKeyDown}
      onDragOver={dragging.over}
      onDrop={dragging.drop}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
      <div role="group" aria-label={texts.edit(name)}>
        <div className="segment-head">
          {!isReadOnly && (
            <span
              className="grip"
              draggable
              title={texts.drag}
              aria-hidden
              onDragStart={dragging.start}
              onDragEnd={dragging.end}
            >
              <IconGripVertical size={16} />
            </span>
          )}
          <span className="swatch" style={{ background: isExcluded ? 'transparent' : colour }} aria-hidden />
          <span className="figure-2" style={{ opacity: isCounting ? 0.6 : 1 }}>
            <AudienceCount
              campaign={campaign}
              positions={[segment.position]}
              count={count?.segmentCount}
              title={(people) => (isExcluded ? texts.peopleOut(people, name) : texts.peopleOf(people, name))}
              isExcluded={isExcluded}
            />
          </span>
          <span className="small text-2 grow">
            {count && texts.gets(format.count(count.segmentCount), format.count(count.targetCount))}
            {isExcluded && ` · ${composer.excluded}`}
            {!segment.isSafe && !broken && <span className="red"> · {composer.notSafe}</span>}
            {left > 0 && !isExcluded && (
              <span className="text-3 block">{texts.elsewhere(format.count(left))}</span>
            )}
          </span>
          {!isReadOnly && (
            <span className="row">
              <ActionIcon
                aria-label={texts.up(name)}
                title={`${texts.up(name)} (Alt ↑)`}
                disabled={isFirst}
                onClick={() => void move(-1)}
              >
                <IconArrowUp size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                aria-label={texts.down(name)}
                title={`${texts.down(name)} (Alt ↓)`}
                disabled={isLast}
                onClick={() => void move(1)}
              >
                <IconArrowDown size={16} aria-hidden />
              </ActionIcon>
              <ActionIcon
                aria-label={composer.remove(name)}
                title={composer.remove(name)}
                onClick={() => remove(segment)}
              >
                <IconX size={16} aria-hidden />
              </ActionIcon>
            </span>
          )}
        </div>
        {error !== undefined && (
          <p className="note red" role="alert">
            {refusal(error)}
          </p>
        )}
        {conflict && (
          <SegmentConflict
            {...edited}
            theirs={conflict}
            idCampaign={campaign.id}
            position={segment.position}
          />
        )}
        <SegmentFields values={values} broken={broken} change={change} isReadOnly={isReadOnly} />
        <Advertisements campaign={campaign} segment={segment} html={html} isReadOnly={isReadOnly} />
      </div>
    </li>
  );
}
