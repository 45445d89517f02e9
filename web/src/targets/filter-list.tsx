import { IconPlus } from '@tabler/icons-react';
import { useRef } from 'react';
import { flushSync } from 'react-dom';
import type { Field } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { BehaviourSentence, ThematicSentence } from './acts-sentence.tsx';
import { type Filter, type Filters, type Kind, kinds, kindsOf } from './filter-kinds.ts';
import { kindIcons } from './kind-icons.tsx';
import { FileSentence, PlaceSentence, SqlSentence } from './other-sentences.tsx';
import { PressureSentence, SendingSentence } from './received-sentences.tsx';
import { FilterCard } from './sentence.tsx';
import { useRemoved } from './use-removed.ts';

interface FilterListProps {
  readonly filters: Filters;
  readonly fields: readonly Field[];
  readonly mayEdit: boolean;
  /** Why filters could not be saved or used. */
  readonly errors: Readonly<Partial<Record<Kind, unknown>>>;
  readonly setFilter: <K extends Kind>(kind: K, filter: Filters[K]) => void;
  /** Copies a filter into another target. */
  readonly copy: (kind: Kind) => void;
}

/** The filters of a target besides the one on fields, and the kinds that it has not yet. */
export function FilterList({ filters, fields, mayEdit, errors, setFilter, copy }: FilterListProps) {
  const { words } = useWords();
  const texts = words.targets;
  const unused = kinds.filter((kind) => !filters[kind]);
  const sentenceOf = (kind: Kind) => {
    const changeOf =
      <K extends Kind>(of: K) =>
      (next: Partial<Filter<K>>) =>
        setFilter(of, { ...filters[of], ...next } as Filters[K]);
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
    flushSync(() => setFilter(kind, kindsOf[kind].start(new Date()) as Filters[typeof kind]));
    document
      .querySelector<HTMLElement>(`[data-filter="${kind}"] .card-body :is(select, input, textarea, button)`)
      ?.focus();
  };
  const removed = useRemoved();
  const latest = useRef(filters);
  latest.current = filters;
  const remove = (kind: Kind) => {
    const filter = filters[kind];
    flushSync(() => setFilter(kind, undefined));
    // The filter can be added again there.
    document.querySelector<HTMLElement>(`[data-kind="${kind}"]`)?.focus();
    removed({
      text: texts.filterRemoved(texts.kinds[kind]),
      // One that was added since stays.
      restore: () => latest.current[kind] || setFilter(kind, filter),
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
              copy={() => copy(kind)}
              set={(next) => setFilter(kind, next as Filters[typeof kind])}
              remove={() => remove(kind)}
            >
              {sentenceOf(kind)}
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
