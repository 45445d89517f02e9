import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useShortcuts } from '../shell/keys.ts';
import { useWords } from '../words/words.tsx';

interface SearchFieldProps {
  readonly label: string;
  readonly text: string;
  /** Called with the trimmed text, 150 ms after the last key. */
  readonly find: (text: string) => void;
}

/** The search of a list; the key `/` leads to it. */
export function SearchField({ label, text, find }: SearchFieldProps) {
  const { words } = useWords();
  const [typed, setTyped] = useState(text);
  const field = useRef<HTMLInputElement>(null);
  const later = useDebouncedCallback(find, 150);
  const shortcuts = useMemo(
    () => [{ keys: '/', label: words.shell.keys.search, run: () => field.current?.focus() }],
    [words],
  );
  useShortcuts(shortcuts);
  // What was typed since the search began stays.
  useEffect(() => setTyped((now) => (now.trim() === text ? now : text)), [text]);
  return (
    <TextInput
      ref={field}
      type="search"
      className="search-field"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={typed}
      onChange={(event) => {
        setTyped(event.currentTarget.value);
        later(event.currentTarget.value.trim());
      }}
    />
  );
}

interface PagesProps {
  readonly label: string;
  /** Counted from 1. */
  readonly page: number;
  readonly size: number;
  readonly total: number;
  /** Whether `total` is of the list that the address names, and not of an earlier one that is still shown. */
  readonly isCurrent: boolean;
  readonly go: (page: number) => void;
}

/**
 * Which rows of how many are shown, and the pages beside them, by `[` and `]` too; nothing if all fit one page. A page
 * behind the last one, whose rows are deleted, becomes the last one.
 */
export function Pages({ label, page, size, total, isCurrent, go }: PagesProps) {
  const { words, format } = useWords();
  const { page: say, earlier, later } = words.campaigns;
  const hasLater = page * size < total;
  const latest = useRef(go);
  latest.current = go;
  const last = Math.max(1, Math.ceil(total / size));
  useEffect(() => {
    if (isCurrent && page > last) latest.current(last);
  }, [isCurrent, page, last]);
  const shortcuts = useMemo(
    () => [
      ...(page > 1 ? [{ keys: '[', label: earlier, run: () => latest.current(page - 1) }] : []),
      ...(hasLater ? [{ keys: ']', label: later, run: () => latest.current(page + 1) }] : []),
    ],
    [page, hasLater, earlier, later],
  );
  useShortcuts(shortcuts);
  if (total <= size) return null;
  const end = Math.min(page * size, total);
  return (
    <nav className="row small text-2" aria-label={label}>
      <span>{say(format.count((page - 1) * size + 1), format.count(end), format.count(total))}</span>
      {page > 1 && (
        <Button size="xs" onClick={() => go(page - 1)}>
          {earlier}
        </Button>
      )}
      {hasLater && (
        <Button size="xs" onClick={() => go(page + 1)}>
          {later}
        </Button>
      )}
    </nav>
  );
}

/** A key that acts on the current row. */
export interface RowKey<Row> {
  readonly keys: string;
  readonly label: string;
  readonly run: (row: Row) => void;
}

/**
 * J and K move through the rows, and the focus to the row's link, so that Enter opens it; O does so too. Returns the
 * position of the current row, which the list marks with `data-current`; -1 before the first key.
 */
export function useCurrentRow<Row>(
  rows: readonly Row[],
  open: (row: Row) => void,
  more: readonly RowKey<Row>[] = [],
): number {
  const { words } = useWords();
  const [current, setCurrent] = useState(-1);
  const acts = useRef({ open, more });
  acts.current = { open, more };
  const labels = more.map(({ keys, label }) => `${keys} ${label}`).join('\n');
  // biome-ignore lint/correctness/useExhaustiveDependencies: the acts are new at each render, their labels are not
  const shortcuts = useMemo(() => {
    const { keys } = words.shell;
    const chosen = rows[current];
    const to = (next: number) => {
      // The row is marked before the next key comes, which may be Enter.
      flushSync(() => setCurrent(next));
      const row = document.querySelector<HTMLElement>('[data-current]');
      const link = row?.matches('a') ? row : row?.querySelector<HTMLElement>(':is(a, button)');
      if (link) return link.focus();
      // Enter must not act on the row that had the focus.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
      row?.scrollIntoView({ block: 'nearest' });
    };
    return [
      { keys: 'j', label: keys.next, run: () => to(Math.min(current + 1, rows.length - 1)) },
      { keys: 'k', label: keys.previous, run: () => to(Math.max(current - 1, 0)) },
      ...(chosen
        ? [
            { keys: 'o', label: keys.open, run: () => acts.current.open(chosen) },
            ...more.map(({ keys: key, label }, index) => ({
              ...{ keys: key, label },
              run: () => acts.current.more[index]?.run(chosen),
            })),
          ]
        : []),
    ];
  }, [rows, current, words, labels]);
  useShortcuts(shortcuts);
  return current;
}
