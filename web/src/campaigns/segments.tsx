import { ActionIcon, Checkbox, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconX } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { KeyboardEvent } from 'react';
import { useRefusal } from '../api/use-refusal.ts';
import { Conflict, shownValue } from '../parts/conflict.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { AbTest } from './ab-test.tsx';
import { Advertisements } from './advertisements.tsx';
import { AddSegment, colours } from './audience.tsx';
import type { Campaign } from './campaign.ts';
import { countsQuery, type Segment, type SegmentCount, segmentsQuery } from './campaign-query.ts';
import { hintBelow } from './hint-below.ts';
import { targetsQuery } from './targets-query.ts';
import type { Draft } from './use-draft.ts';
import { type SegmentValues, useSegmentValues } from './use-segment-values.ts';
import { useSegments } from './use-segments.ts';

interface SegmentsProps {
  readonly campaign: Campaign;
  readonly draft: Draft;
  readonly isReadOnly: boolean;
}

/** The segments in full: order, share, exclusion, own subject and advertisements of each. */
export function SegmentsPart({ campaign, draft, isReadOnly }: SegmentsProps) {
  const { words, format } = useWords();
  const texts = words.campaignParts.audience;
  const site = useSite();
  const refusal = useRefusal();
  const { reorder } = useSegments(campaign);
  const segments = useQuery(segmentsQuery(site.name, campaign.id)).data ?? [];
  const counting = useQuery({ ...countsQuery(site.name, campaign.id), placeholderData: keepPreviousData });
  const move = async (segment: Segment, by: 1 | -1) => {
    const ids = segments.map(({ id }) => id);
    const at = ids.indexOf(segment.id);
    const to = at + by;
    if (to < 0 || to >= ids.length) return;
    ids.splice(at, 1);
    ids.splice(to, 0, segment.id);
    try {
      await reorder(ids);
      toast({ text: texts.moved(segment.parameters.name, format.count(to + 1)) });
    } catch (error) {
      toast({ text: refusal(error) });
    }
  };
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
            count={counting.data?.find(({ idSegment }) => idSegment === segment.id)}
            isCounting={counting.isFetching}
            isFirst={index === 0}
            isLast={index === segments.length - 1}
            move={(by) => move(segment, by)}
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

interface SegmentCardProps {
  readonly campaign: Campaign;
  readonly segment: Segment;
  readonly colour: string;
  readonly count: SegmentCount | undefined;
  readonly isCounting: boolean;
  readonly isFirst: boolean;
  readonly isLast: boolean;
  readonly move: (by: 1 | -1) => Promise<void>;
  readonly html: string;
  readonly isReadOnly: boolean;
}

function SegmentCard(props: SegmentCardProps) {
  const { campaign, segment, colour, count, isCounting, isFirst, isLast, move, html, isReadOnly } = props;
  const { words, format } = useWords();
  const { composer } = words;
  const texts = words.campaignParts.audience;
  const refusal = useRefusal();
  const { add, remove } = useSegments(campaign);
  const edited = useSegmentValues(campaign, segment);
  const { values, change, error, conflict } = edited;
  const { name, isExcluded } = values;
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1 }[event.key] as 1 | -1 | undefined;
    // On a choice, these keys open its list.
    const isChoice = event.target instanceof HTMLSelectElement;
    if (!event.altKey || by === undefined || isReadOnly || isChoice) return;
    event.preventDefault();
    void move(by);
  };
  const onRemove = () =>
    remove(segment.id).then(
      () => toast({ text: composer.removed(name), seconds: 10, undo: () => add(segment.parameters) }),
      (failure: unknown) => toast({ text: refusal(failure) }),
    );
  const left = count ? count.targetCount - count.deDuplicatedCount : 0;
  return (
    <li className="card segment-card" onKeyDown={onKeyDown}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset would bring its own box */}
      <div role="group" aria-label={texts.edit(name)}>
        <div className="segment-head">
          <span className="swatch" style={{ background: isExcluded ? 'transparent' : colour }} aria-hidden />
          <span className="figure-2" style={{ opacity: isCounting ? 0.6 : 1 }}>
            {count ? format.count(isExcluded ? count.targetCount : count.segmentCount) : '–'}
          </span>
          <span className="small text-2 grow">
            {count && texts.gets(format.count(count.segmentCount), format.count(count.targetCount))}
            {isExcluded && ` · ${composer.excluded}`}
            {!segment.isSafe && <span className="red"> · {composer.notSafe}</span>}
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
                onClick={() => void onRemove()}
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
        {conflict && <SegmentConflict {...edited} theirs={conflict} />}
        <SegmentFields values={values} change={change} isReadOnly={isReadOnly} />
        <Advertisements campaign={campaign} segment={segment} html={html} isReadOnly={isReadOnly} />
      </div>
    </li>
  );
}

interface SegmentConflictProps extends ReturnType<typeof useSegmentValues> {
  readonly theirs: SegmentValues;
}

/** The stored values of a segment beside the user's. */
function SegmentConflict({ values, theirs, overwrite, discard }: SegmentConflictProps) {
  const { words } = useWords();
  const texts = words.campaignParts.audience;
  const { data: targets = [] } = useQuery(targetsQuery(useSite().name));
  const names = {
    name: texts.name,
    idTarget: texts.target,
    isExcluded: texts.excluded,
    percent: texts.percentOf,
    fixedValues: texts.mostOf,
    isRandom: texts.random,
    mailObject: texts.subject,
    senderAlias: texts.sender,
  } as const;
  const shown = (name: keyof typeof names, of: SegmentValues) =>
    shownValue(
      name === 'idTarget'
        ? (targets.find(({ idTarget }) => idTarget === of.idTarget)?.name ?? of.idTarget)
        : of[name],
    );
  return (
    <Conflict
      fields={(Object.keys(names) as (keyof typeof names)[])
        .filter((name) => theirs[name] !== values[name])
        .map((name) => ({
          key: name,
          name: names[name],
          theirs: shown(name, theirs),
          yours: shown(name, values),
        }))}
      keepYours={overwrite}
      takeTheirs={discard}
    />
  );
}

interface SegmentFieldsProps {
  readonly values: SegmentValues;
  readonly change: (part: Partial<SegmentValues>) => void;
  readonly isReadOnly: boolean;
}

function SegmentFields({ values, change, isReadOnly }: SegmentFieldsProps) {
  const { words } = useWords();
  const texts = words.campaignParts.audience;
  const site = useSite();
  const { data: targets = [] } = useQuery(targetsQuery(site.name));
  const take = values.fixedValues > 0 ? 'most' : values.percent < 100 ? 'percent' : 'all';
  const known = targets.some(({ idTarget }) => idTarget === values.idTarget);
  return (
    <div className="segment-fields">
      <TextInput
        label={texts.name}
        maxLength={255}
        readOnly={isReadOnly}
        value={values.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={texts.target}
        disabled={isReadOnly}
        value={String(values.idTarget)}
        onChange={(event) => change({ idTarget: Number(event.currentTarget.value) })}
        data={[
          ...targets.map(({ idTarget, name }) => ({ value: String(idTarget), label: name })),
          ...(known ? [] : [{ value: String(values.idTarget), label: String(values.idTarget) }]),
        ]}
      />
      <Checkbox
        className="whole"
        disabled={isReadOnly}
        checked={values.isExcluded}
        onChange={(event) => change({ isExcluded: event.currentTarget.checked })}
        label={texts.excluded}
      />
      {!values.isExcluded && (
        <>
          <NativeSelect
            label={texts.take}
            disabled={isReadOnly}
            value={take}
            onChange={({ currentTarget: { value } }) =>
              change({ percent: value === 'percent' ? 50 : 100, fixedValues: value === 'most' ? 100 : 0 })
            }
            data={(['all', 'percent', 'most'] as const).map((one) => ({ value: one, label: texts[one] }))}
          />
          {take === 'all' && <span />}
          {take === 'percent' && (
            <NumberInput
              hideControls
              label={texts.percentOf}
              min={1}
              max={99}
              clampBehavior="strict"
              allowDecimal={false}
              readOnly={isReadOnly}
              value={values.percent}
              onChange={(value) => change({ percent: Math.max(Number(value), 1) })}
            />
          )}
          {take === 'most' && (
            <NumberInput
              hideControls
              label={texts.mostOf}
              min={1}
              max={2_147_483_647}
              clampBehavior="strict"
              allowDecimal={false}
              readOnly={isReadOnly}
              value={values.fixedValues}
              onChange={(value) => change({ fixedValues: Math.max(Number(value), 1) })}
            />
          )}
          {take !== 'all' && (
            <Checkbox
              className="whole"
              disabled={isReadOnly}
              checked={values.isRandom}
              onChange={(event) => change({ isRandom: event.currentTarget.checked })}
              label={texts.random}
            />
          )}
          <TextInput
            label={texts.subject}
            description={texts.subjectHint}
            {...hintBelow}
            maxLength={500}
            readOnly={isReadOnly}
            value={values.mailObject ?? ''}
            onChange={(event) => change({ mailObject: event.currentTarget.value || null })}
          />
          <TextInput
            label={texts.sender}
            description={texts.senderHint}
            {...hintBelow}
            maxLength={255}
            readOnly={isReadOnly}
            value={values.senderAlias ?? ''}
            onChange={(event) => change({ senderAlias: event.currentTarget.value || null })}
          />
        </>
      )}
    </div>
  );
}
