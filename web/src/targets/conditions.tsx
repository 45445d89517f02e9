import { Button, Switch } from '@mantine/core';
import { IconListDetails, IconLock, IconLockOpen, IconPlus } from '@tabler/icons-react';
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { namedIn } from '../api/api-error.ts';
import { useRefusal, useRuleText } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { type Field, fieldIds, fieldName } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { type Condition, type FieldFilterDraft, isComplete, nextKey, operatorsOf } from './condition.ts';
import { ConditionRow, ConditionText } from './condition-rows.tsx';
import { FilterMenu } from './sentence.tsx';
import { useUnsubscribed } from './target-steps.tsx';
import { brokenEntry } from './use-count.ts';
import { useRemoved } from './use-removed.ts';
import type { Parts } from './use-target-draft.ts';

interface ConditionsProps {
  readonly draft: FieldFilterDraft;
  /** The target as it is stored. */
  readonly saved: Parts;
  /** Why it could not be saved. */
  readonly error: unknown;
  /** Why it could not be counted. */
  readonly countError: unknown;
  readonly fields: readonly Field[];
  readonly change: (next: Partial<FieldFilterDraft>) => void;
  readonly mayEdit: boolean;
  /** Copies the conditions into another target. */
  readonly copy: () => void;
}

const keys = ['Ctrl Enter', 'Alt Backspace', 'Alt ArrowUp', 'Alt ArrowDown'] as const;

/** The key that adds, removes or moves a condition, if it is one. */
const keyOf = ({ ctrlKey, metaKey, altKey, key }: KeyboardEvent) =>
  keys.find((one) => one === `${ctrlKey || metaKey ? 'Ctrl ' : ''}${altKey ? 'Alt ' : ''}${key}`);

/** The filter on fields: its conditions, and the one that makes the target safe. */
export function Conditions(props: ConditionsProps) {
  const { draft, saved, fields, error, countError, change, mayEdit, copy } = props;
  const { words } = useWords();
  const texts = words.targets;
  const refusal = useRefusal();
  const { conditions, isEnabled, subscribedOnly } = draft;
  const sayRule = useRuleText();
  const rejected = rejectedOf(draft, error);
  const broken = brokenEntry(countError);
  /** Another target that this one uses may be meant. */
  const isBroken = ({ idField, operator }: Condition) =>
    idField === broken?.idField && operator === broken.operator;
  const faultOf = (condition: Condition) => {
    if (condition.key === rejected?.key) return sayRule(rejected.rule);
    return isBroken(condition) ? refusal(countError) : undefined;
  };
  const add = () => {
    const field = fields.find(({ id }) => id === fieldIds.email)!;
    const operator = operatorsOf(field)[0]!;
    change({ conditions: [...conditions, { key: nextKey(), idField: field.id, operator, value: '' }] });
  };
  const card = useRef<HTMLElement>(null);
  const { focusRow, remove } = useRemoval(props, card);
  const removeAll = useRemovalOfAll(props, card);
  const [isRemoving, setRemoving] = useState(false);
  const hasAny = conditions.length > 0 || subscribedOnly;
  /** What moves a condition by a step; undefined at the end. */
  const moverOf = (at: number, step: 1 | -1) => {
    const other = conditions[at + step];
    if (!other) return undefined;
    const moved = conditions.with(at, other).with(at + step, conditions[at]!);
    return () => flushSync(() => change({ conditions: moved }));
  };
  const addAndFocus = () => {
    flushSync(add);
    focusRow(conditions.length);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const act = mayEdit && keyOf(event);
    if (!act) return;
    const rows = [...(card.current?.querySelectorAll('.conditions > li') ?? [])];
    const at = rows.findIndex((row) => row.contains(event.target as Node));
    if (act !== 'Ctrl Enter' && at < 0) return;
    if (act === 'Ctrl Enter') {
      addAndFocus();
    } else if (act === 'Alt Backspace') {
      remove(at);
    } else {
      const move = moverOf(at, act === 'Alt ArrowUp' ? -1 : 1);
      if (!move) return;
      move();
      (event.target as HTMLElement).focus();
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section
      className="card filter"
      ref={card}
      onKeyDownCapture={onKeyDown}
      data-rejected={error || conditions.some(isBroken) ? true : undefined}
    >
      <div className="card-head">
        <IconListDetails size={18} aria-hidden />
        <h2>{texts.fieldsTitle}</h2>
        <span className="small text-3">{texts.conditions(conditions.length)}</span>
        <span className="aside">
          <Switch
            aria-label={texts.isOn}
            title={texts.isOn}
            checked={isEnabled}
            disabled={!mayEdit}
            onChange={(event) => change({ isEnabled: event.currentTarget.checked })}
          />
          {mayEdit && (
            <FilterMenu
              name={texts.fieldsTitle}
              copy={conditions.length > 0 && conditions.every(isComplete) ? copy : undefined}
              {...(hasAny && { remove: subscribedOnly ? () => setRemoving(true) : removeAll })}
            />
          )}
        </span>
      </div>
      <div className="card-body stack tight">
        {!isEnabled && <p className="note">{texts.isOff}</p>}
        {conditions.length > 0 && (
          <ul className="conditions">
            {conditions.map((condition, at) =>
              mayEdit ? (
                <ConditionRow
                  key={condition.key}
                  condition={condition}
                  fields={fields}
                  error={faultOf(condition)}
                  change={(next) => change({ conditions: conditions.with(at, next) })}
                  remove={() => remove(at)}
                  moveUp={moverOf(at, -1)}
                  moveDown={moverOf(at, 1)}
                />
              ) : (
                <ConditionText key={condition.key} condition={condition} fields={fields} />
              ),
            )}
          </ul>
        )}
        {mayEdit && (
          <div className="add">
            <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={addAndFocus}>
              {texts.add}
            </Button>
          </div>
        )}
      </div>
      {error && !rejected ? (
        <p className="card-body small red name" role="alert">
          {refusal(error)}
        </p>
      ) : null}
      <SubscribedOnly
        isOn={subscribedOnly}
        saved={saved}
        mayEdit={mayEdit}
        set={(next) => change({ subscribedOnly: next })}
        removal={{ isAsked: isRemoving, close: () => setRemoving(false), remove: removeAll }}
      />
    </section>
  );
}

/** Removes a condition, which “Undo” brings back to its place; the focus stays among the conditions. */
function useRemoval({ draft, fields, change }: ConditionsProps, card: RefObject<HTMLElement | null>) {
  const { words } = useWords();
  const removed = useRemoved();
  const latest = useRef(draft.conditions);
  latest.current = draft.conditions;
  const focusRow = (at: number) => {
    const row = card.current?.querySelectorAll('.conditions > li')[at] ?? card.current?.querySelector('.add');
    row?.querySelector<HTMLElement>('select, button')?.focus();
  };
  const restore = (condition: Condition, at: number) =>
    change({ conditions: latest.current.toSpliced(at, 0, condition) });
  return {
    focusRow,
    remove: (at: number) => {
      const condition = draft.conditions[at]!;
      const field = fields.find(({ id }) => id === condition.idField);
      flushSync(() => change({ conditions: draft.conditions.toSpliced(at, 1) }));
      focusRow(Math.min(at, draft.conditions.length - 2));
      removed({
        text: words.targets.removed(field ? fieldName(words, field) : String(condition.idField)),
        restore: () => restore(condition, at),
        focus: () => focusRow(latest.current.indexOf(condition)),
      });
    },
  };
}

/** Removes the whole filter, which “Undo” brings back. */
function useRemovalOfAll({ draft, change }: ConditionsProps, card: RefObject<HTMLElement | null>) {
  const texts = useWords().words.targets;
  const removed = useRemoved();
  const latest = useRef(draft.conditions);
  latest.current = draft.conditions;
  return () => {
    const { conditions, subscribedOnly, isEnabled } = draft;
    flushSync(() => change({ conditions: [], subscribedOnly: false, isEnabled: true }));
    removed({
      text: texts.filterRemoved(texts.fieldsTitle),
      // Conditions that were added since stay.
      restore: () =>
        change({
          conditions: [...conditions, ...latest.current],
          isEnabled,
          ...(subscribedOnly && { subscribedOnly }),
        }),
      focus: () => card.current?.querySelector<HTMLElement>('.card-head button')?.focus(),
    });
  };
}

/** The condition that an error of the API names by its place, and the rule that it breaks. */
function rejectedOf({ conditions, subscribedOnly }: FieldFilterDraft, error: unknown) {
  const named = namedIn(error);
  const found = named && /^filters\[(\d+)\](?:\.\w+)?$/.exec(named.property);
  if (!found) return undefined;
  // The one on the status comes first.
  const condition = conditions[Number(found[1]) - (subscribedOnly ? 1 : 0)];
  return condition && { key: condition.key, rule: named.rule };
}

interface SubscribedOnlyProps {
  readonly isOn: boolean;
  readonly saved: Parts;
  readonly mayEdit: boolean;
  readonly set: (isOn: boolean) => void;
  /** The removal of the whole filter, which has this condition. */
  readonly removal: { readonly isAsked: boolean; readonly close: () => void; readonly remove: () => void };
}

/** The condition on the status, with its lock: to remove it, the user reads what follows. */
function SubscribedOnly({ isOn, saved, mayEdit, set, removal }: SubscribedOnlyProps) {
  const { words, format } = useWords();
  const texts = words.targets;
  const [isAsked, setAsked] = useState(false);
  const isOpen = isAsked || removal.isAsked;
  const unsubscribed = useUnsubscribed(saved, isOpen || !isOn);
  const close = () => {
    setAsked(false);
    removal.close();
  };
  const effect = texts.subscribedOnlyHint(
    unsubscribed === undefined ? undefined : format.count(unsubscribed),
  );
  const Lock = isOn ? IconLock : IconLockOpen;
  return (
    <div className="switch-line">
      <div>
        <p className="row" id="subscribed-only">
          <Lock size={16} className={isOn ? 'green' : 'amber'} aria-hidden />
          {texts.subscribedOnly}
        </p>
        {!isOn && <p className="small amber">{effect}</p>}
      </div>
      <Switch
        aria-labelledby="subscribed-only"
        checked={isOn}
        disabled={!mayEdit}
        onChange={(event) => (event.currentTarget.checked ? set(true) : setAsked(true))}
      />
      <Dialog isOpen={isOpen} close={close} title={texts.unlockTitle}>
        <div className="stack tight">
          <p aria-live="polite">{effect}</p>
          <div className="row">
            <Button data-autofocus onClick={close}>
              {removal.isAsked ? texts.keepFilter : texts.keepLock}
            </Button>
            <Button
              color="red"
              variant="outline"
              onClick={() => {
                close();
                if (removal.isAsked) removal.remove();
                else set(false);
              }}
            >
              {removal.isAsked ? texts.removeFilter : texts.unlock}
            </Button>
          </div>
        </div>
      </Dialog>
    </div>
  );
}
