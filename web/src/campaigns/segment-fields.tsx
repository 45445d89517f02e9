import { Checkbox, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import { Conflict, shownValue } from '../parts/conflict.tsx';
import { useSite } from '../session/session.tsx';
import { allTargetsQuery, isForCampaigns } from '../targets/all-targets.ts';
import { TargetChoice } from '../targets/target-choice.tsx';
import { useWords } from '../words/words.tsx';
import type { BrokenTarget } from './finding-words.ts';
import { hintBelow } from './hint-below.ts';
import type { SegmentValues, useSegmentValues } from './use-segment-values.ts';

interface SegmentConflictProps extends ReturnType<typeof useSegmentValues> {
  readonly theirs: SegmentValues;
  readonly idCampaign: number;
  /** The position of the segment, counted from 1. */
  readonly position: number;
}

/** The stored values of a segment beside the user's. */
export function SegmentConflict(props: SegmentConflictProps) {
  const { values, theirs, overwrite, discard, idCampaign, position } = props;
  const { words } = useWords();
  const texts = words.campaignParts.audience;
  const targets = useQuery(allTargetsQuery(useSite().name)).data?.items ?? [];
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
      of={{ idCampaign, segmentPosition: position }}
    />
  );
}

/** The target of a segment as a choice, if lists omit it. */
function useUnlisted(idTarget: number, broken: BrokenTarget | undefined) {
  const { words } = useWords();
  const texts = words.campaignParts.audience;
  const site = useSite();
  const listed = useQuery(allTargetsQuery(site.name)).data?.items.filter(isForCampaigns);
  const isListed = !listed || listed.some((one) => one.idTarget === idTarget);
  const isDeleted = broken !== undefined && broken.reason === undefined;
  const own = useQuery({
    queryKey: ['targets', site.name, idTarget, 'unlisted'],
    enabled: !isListed && !isDeleted,
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/targets/{idTarget}', { params: { path: { idsite: site.name, idTarget } } }),
      ),
  }).data;
  if (listed && isListed) return [];
  const ownName = own && (own.isArchived ? texts.archived(own.parameters.name) : own.parameters.name);
  const label = isDeleted ? texts.deleted(String(idTarget)) : (ownName ?? String(idTarget));
  return [{ value: String(idTarget), label }];
}

interface SegmentFieldsProps {
  readonly values: SegmentValues;
  /** Set if the segment's target no longer works. */
  readonly broken: BrokenTarget | undefined;
  readonly change: (part: Partial<SegmentValues>) => void;
  readonly isReadOnly: boolean;
}

export function SegmentFields({ values, broken, change, isReadOnly }: SegmentFieldsProps) {
  const { words } = useWords();
  const texts = words.campaignParts.audience;
  const unlisted = useUnlisted(values.idTarget, broken);
  const take = values.fixedValues > 0 ? 'most' : values.percent < 100 ? 'percent' : 'all';
  return (
    <div className="segment-fields">
      <TextInput
        label={texts.name}
        maxLength={255}
        readOnly={isReadOnly}
        value={values.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <TargetChoice
        label={texts.target}
        data-place="target"
        disabled={isReadOnly}
        isChoice={isForCampaigns}
        others={unlisted}
        value={String(values.idTarget)}
        choose={(idTarget) => change({ idTarget: Number(idTarget) })}
        error={broken && texts.brokenTarget(broken.reason)}
      />
      <Checkbox
        className="whole"
        data-place="excluded"
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
            data-place="own-subject"
            description={texts.subjectHint}
            {...hintBelow}
            maxLength={500}
            readOnly={isReadOnly}
            value={values.mailObject ?? ''}
            onChange={(event) => change({ mailObject: event.currentTarget.value || null })}
          />
          <TextInput
            label={texts.sender}
            data-place="own-alias"
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
