import { ActionIcon, Menu, Switch } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { createContext, type ReactNode, use, useId, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { useRefusal, useRuleText } from '../api/use-refusal.ts';
import { useWords } from '../words/words.tsx';
import { type Filter, isOn, type Kind, kindsOf } from './filter-kinds.ts';
import { type KindIcon, kindIcons } from './kind-icons.tsx';

/** What the parts of one filter share. */
interface Shared {
  readonly mayEdit: boolean;
  /** The property that the API rejected, and the id of the text that says why. */
  readonly rejected?: { readonly member: string; readonly idText: string };
}
const SharedContext = createContext<Shared>({ mayEdit: false });

/** Which version of a target the filters below are of, where two are shown. */
export const VersionContext = createContext<string | undefined>(undefined);

/** The property that is meant by an error that names none. */
const mainMembers: Readonly<Partial<Record<Kind, string>>> = { file: 'filename', sql: 'sql' };

/** The property that an error of the API names, and the rest of its text. */
export function faultOf(error: unknown): { readonly member: string; readonly text: string } | undefined {
  if (!(error instanceof ApiError) || error.status >= 500) return undefined;
  const [, member = '', text = error.message] = /^([a-zA-Z]+): ([\s\S]*)$/.exec(error.message) ?? [];
  return { member, text };
}

interface FilterCardProps<K extends Kind> {
  readonly kind: K;
  readonly filter: Filter<K>;
  readonly mayEdit: boolean;
  /** Why it could not be saved or used. */
  readonly error: unknown;
  readonly set: (filter: Filter<K>) => void;
  readonly remove: () => void;
  /** Copies it into another target; undefined while it is not used, so that it cannot be switched off either. */
  readonly copy: (() => void) | undefined;
  readonly children: ReactNode;
}

/** One filter: its sentence, whether it is on, and how to remove it. */
export function FilterCard<K extends Kind>(props: FilterCardProps<K>) {
  const { kind, filter, mayEdit, error, set, remove, copy, children } = props;
  const { words } = useWords();
  const texts = words.targets;
  const refusal = useRefusal();
  const sayRule = useRuleText();
  const idText = useId();
  const fault = faultOf(error);
  const name = texts.kinds[kind];
  const version = use(VersionContext);
  const Icon: KindIcon = kindIcons[kind];
  const on = isOn(kind, filter);
  return (
    <SharedContext
      value={{
        mayEdit,
        ...(fault && { rejected: { member: fault.member || mainMembers[kind] || '', idText } }),
      }}
    >
      <section
        className="card filter"
        aria-label={version ? `${name}: ${version}` : name}
        data-filter={kind}
        data-rejected={error ? true : undefined}
      >
        <div className="card-head">
          <Icon size={18} aria-hidden />
          <h2>{name}</h2>
          <span className="aside">
            {copy && (
              <Switch
                aria-label={texts.isFilterOn(name)}
                title={texts.isFilterOn(name)}
                checked={on}
                disabled={!mayEdit}
                onChange={(event) =>
                  set({ ...filter, [kindsOf[kind].enabled]: event.currentTarget.checked } as Filter<K>)
                }
              />
            )}
            {mayEdit && (
              <FilterMenu
                name={name}
                copy={kindsOf[kind].isComplete(filter) ? copy : undefined}
                remove={remove}
              />
            )}
          </span>
        </div>
        <div className="card-body stack" style={{ gap: 12 }}>
          {!on && <p className="note">{texts.isOff}</p>}
          {children}
          {!kindsOf[kind].isComplete(filter) && <p className="label text-3">{texts.incompleteFilter}</p>}
          {error ? (
            <p className="small red name" role="alert" id={idText}>
              {/* The property that it names is marked. */}
              {fault?.member ? sayRule(fault.text) : refusal(error)}
            </p>
          ) : null}
        </div>
      </section>
    </SharedContext>
  );
}

interface FilterMenuProps {
  readonly name: string;
  /** Copies the filter into another target; undefined while it has nothing to copy. */
  readonly copy: (() => void) | undefined;
  readonly remove?: () => void;
}

/** The actions of a filter, behind three dots. */
export function FilterMenu({ name, copy, remove }: FilterMenuProps) {
  const texts = useWords().words.targets;
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon aria-label={texts.actionsOf(name)} title={texts.actionsOf(name)}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item disabled={!copy} onClick={copy}>
          {texts.copyFilter.action}
        </Menu.Item>
        {remove && <Menu.Item onClick={remove}>{texts.removeFilter}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Makes parts changeable, or not, outside of a filter. */
export function SharedPart({
  mayEdit,
  children,
}: {
  readonly mayEdit: boolean;
  readonly children: ReactNode;
}) {
  return <SharedContext value={{ mayEdit }}>{children}</SharedContext>;
}

/** What a control of a part needs: whether it can be changed, and whether the API rejected it. */
export function usePart(member: string) {
  const { mayEdit, rejected } = use(SharedContext);
  const isRejected = rejected?.member === member;
  return {
    disabled: !mayEdit,
    ...(isRejected && { 'aria-invalid': true, 'aria-describedby': rejected.idText }),
  } as const;
}

interface PickProps<V extends string> {
  /** The property of the filter that it sets. */
  readonly member: string;
  readonly label: string;
  readonly value: V;
  /** The text of each choice. */
  readonly choices: Readonly<Record<V, string>>;
  readonly pick: (value: V) => void;
}

/** A part of a sentence that is one of several words. */
export function Pick<V extends string>({ member, label, value, choices, pick }: PickProps<V>) {
  const part = usePart(member);
  return (
    <select
      className="part"
      {...part}
      aria-label={label}
      value={value}
      onChange={(event) => pick(event.currentTarget.value as V)}
    >
      {(Object.keys(choices) as V[]).map((choice) => (
        <option key={choice} value={choice}>
          {choices[choice]}
        </option>
      ))}
    </select>
  );
}

interface TypedProps {
  readonly member: string;
  readonly label: string;
  readonly value: string;
  readonly type?: 'text' | 'number' | 'date' | 'datetime-local';
  readonly placeholder?: string;
  readonly set: (value: string) => void;
}

/** A part of a sentence that is typed. */
export function Typed({ member, label, value, type = 'text', placeholder, set }: TypedProps) {
  const part = usePart(member);
  const isNumber = type === 'number';
  // `2.` is the number 2 until its decimals are typed.
  const [typed, setTyped] = useState(value);
  const shown = isNumber && typed !== '' && value !== '' && Number(typed) === Number(value) ? typed : value;
  return (
    <input
      className="part"
      {...part}
      aria-label={label}
      type={isNumber ? 'text' : type}
      inputMode={isNumber ? 'decimal' : undefined}
      placeholder={placeholder}
      style={isNumber ? { width: `calc(${Math.max(2, shown.length)}ch + 22px)` } : undefined}
      value={shown}
      onChange={(event) => {
        const text = event.currentTarget.value;
        const next = isNumber
          ? text
              .replace(',', '.')
              .replaceAll(/[^\d.]/g, '')
              .slice(0, 9)
          : text;
        setTyped(next);
        set(next);
      }}
    />
  );
}

/** A typed number; null while there is none. */
export const numberFrom = (typed: string): number | null => (typed === '' ? null : Number(typed));
export const typedFrom = (value: number | null | undefined): string => (value ?? '').toString();

/** A part of a sentence that is true or not. */
export function Check({ member, label, value, set }: CheckProps) {
  const part = usePart(member);
  return (
    <label className="row filter-check">
      <input
        type="checkbox"
        {...part}
        checked={value}
        onChange={(event) => set(event.currentTarget.checked)}
      />
      {label}
    </label>
  );
}
interface CheckProps {
  readonly member: string;
  readonly label: string;
  readonly value: boolean;
  readonly set: (value: boolean) => void;
}

/** The rarer parts of a filter, open if one of them is used. */
export function More({ isUsed, children }: { readonly isUsed: boolean; readonly children: ReactNode }) {
  const { words } = useWords();
  return (
    <details className="more" open={isUsed || undefined}>
      <summary className="small">{words.targets.more}</summary>
      <div className="stack" style={{ gap: 10, paddingTop: 10 }}>
        {children}
      </div>
    </details>
  );
}
