import { IconPlus } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Field } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { BehaviourSentence, ThematicSentence } from './acts-sentence.tsx';
import { BegunFilter } from './begun-filter.tsx';
import { type Filter, type Filters, type Kind, kinds, kindsOf } from './filter-kinds.ts';
import { kindIcons } from './kind-icons.tsx';
import { FileSentence, PlaceSentence, SqlSentence } from './other-sentences.tsx';
import { PressureSentence, SendingSentence } from './received-sentences.tsx';
import { FilterCard } from './sentence.tsx';
import { useRemoved } from './use-removed.ts';
import type { Parts } from './use-target-draft.ts';

interface Begun {
  readonly kinds: readonly Kind[];
  /** The target as it is stored. */
  readonly saved: Parts;
  /** Whether it is known which campaigns use the target. */
  readonly isKnown: boolean;
  /** Whether a scheduled campaign may use the target: a begun filter is then used when the user says so. */
  readonly mayBeScheduled: boolean;
}

interface FilterListProps {
  readonly filters: Filters;
  /** Filters that are not used yet; undefined where nothing is added. */
  readonly begun?: Begun;
  readonly fields: readonly Field[];
  readonly mayEdit: boolean;
  /** Why filters could not be saved or used. */
  readonly errors: Readonly<Partial<Record<Kind, unknown>>>;
  readonly setFilter: <K extends Kind>(kind: K, filter: Filters[K], isBegun?: boolean) => void;
  /** Copies a filter into another target. */
  readonly copy: (kind: Kind) => void;
}

/** The filters of a target besides the one on fields, and the kinds that it has not yet. */
export function FilterList(props: FilterListProps) {
  const { filters, begun, fields, mayEdit, errors, setFilter, copy } = props;
  const { words } = useWords();
  const texts = words.targets;
  const isBegun = (kind: Kind) => begun?.kinds.includes(kind) === true;
  const isKnown = begun?.isKnown === true;
  const unused = kinds.filter((kind) => !filters[kind]);
  /** Changes a filter. The first change to something complete also uses it. */
  const set = <K extends Kind>(kind: K, next: Filter<K>) => {
    const staysBegun = begun?.mayBeScheduled || !kindsOf[kind].isComplete(next);
    setFilter(kind, next as Filters[K], isBegun(kind) && staysBegun);
    if (isBegun(kind) && !isKnown) changed.current.add(kind);
  };
  // Filters that were changed before it was known whether a scheduled campaign uses the target.
  const changed = useRef(new Set<Kind>());
  const applyChanged = useRef(() => {});
  applyChanged.current = () => {
    for (const kind of changed.current) if (isBegun(kind) && filters[kind]) set(kind, filters[kind]);
    changed.current.clear();
  };
  useEffect(() => {
    if (isKnown) applyChanged.current();
  }, [isKnown]);
  const sentenceOf = (kind: Kind) => {
    const changeOf =
      <K extends Kind>(of: K) =>
      (next: Partial<Filter<K>>) =>
        set(of, { ...filters[of], ...next } as Filter<K>);
    const shared = { fields, error: errors[kind] };
    return {
      behaviour: () => <BehaviourSentence filter={filters.behaviour!} change={changeOf('behaviour')} />,
      thematic: () => <ThematicSentence filter={filters.thematic!} change={changeOf('thematic')} />,
      sending: () => <SendingSentence filter={filters.sending!} change={changeOf('sending')} />,
      emailPressure: () => (
        <PressureSentence filter={filters.emailPressure!} change={changeOf('emailPressure')} />
      ),
      geolocation: () => <PlaceSentence filter={filters.geolocation!} change={changeOf('geolocation')} />,
      file: () => <FileSentence filter={filters.file!} change={changeOf('file')} {...shared} />,
      sql: () => <SqlSentence filter={filters.sql!} change={changeOf('sql')} {...shared} />,
    }[kind]();
  };
  const add = (kind: Kind) => {
    changed.current.delete(kind);
    flushSync(() => setFilter(kind, kindsOf[kind].start(new Date()) as Filters[typeof kind], true));
    document
      .querySelector<HTMLElement>(`[data-filter="${kind}"] .card-body :is(select, input, textarea, button)`)
      ?.focus();
  };
  const removed = useRemoved();
  const latest = useRef(filters);
  latest.current = filters;
  const remove = (kind: Kind) => {
    const filter = filters[kind];
    const wasBegun = isBegun(kind);
    flushSync(() => setFilter(kind, undefined));
    // The filter can be added again there.
    document.querySelector<HTMLElement>(`[data-kind="${kind}"]`)?.focus();
    removed({
      text: texts.filterRemoved(texts.kinds[kind]),
      // One that was added since stays.
      restore: () => latest.current[kind] || setFilter(kind, filter, wasBegun),
      focus: () => document.querySelector<HTMLElement>(`[data-filter="${kind}"] button`)?.focus(),
    });
  };
  return (
    <>
      {kinds.map((kind) => {
        const filter = filters[kind];
        return (
          filter && (
            <FilterCard
              key={kind}
              kind={kind}
              filter={filter}
              mayEdit={mayEdit}
              error={errors[kind]}
              copy={isBegun(kind) ? undefined : () => copy(kind)}
              set={(next) => set(kind, next)}
              remove={() => remove(kind)}
            >
              {sentenceOf(kind)}
              {begun && isBegun(kind) && (
                <BegunFilter
                  kind={kind}
                  filter={filter}
                  saved={begun.saved}
                  start={() => setFilter(kind, filter as Filters[typeof kind])}
                />
              )}
            </FilterCard>
          )
        );
      })}
      {mayEdit && unused.length > 0 && (
        <section className="stack" style={{ gap: 8 }} aria-label={texts.addFilter}>
          <p className="small text-2">{texts.addFilter}</p>
          <div className="row">
            {unused.map((kind) => {
              const Icon = kindIcons[kind];
              return (
                <button key={kind} type="button" className="chip" data-kind={kind} onClick={() => add(kind)}>
                  <Icon size={14} aria-hidden />
                  {texts.kinds[kind]}
                  <IconPlus size={14} aria-hidden />
                </button>
              );
            })}
          </div>
        </section>
      )}
    </>
  );
}
