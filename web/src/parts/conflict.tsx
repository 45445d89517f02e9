import { Button } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { type Changed, useLastChange } from './use-last-change.ts';
import './conflict.css';

/** A field in which another person's version and the user's differ. */
export interface ConflictField {
  readonly key: string;
  readonly name: string;
  readonly theirs: ReactNode;
  readonly yours: ReactNode;
}

interface ConflictProps {
  readonly fields: readonly ConflictField[];
  readonly keepYours: (event: MouseEvent<HTMLButtonElement>) => void;
  readonly takeTheirs: () => void;
  /** The record that another person changed. */
  readonly of: Changed;
}

const isToday = (date: string) => new Date(date).toDateString() === new Date().toDateString();

/** Another person's version beside the user's, field by field, and a choice of one. */
export function Conflict({ fields, keepYours, takeTheirs, of }: ConflictProps) {
  const { words, format } = useWords();
  const { composer } = words;
  const change = useLastChange(of);
  return (
    <div className="note red" role="alert">
      <div className="grow stack tight">
        <p>
          {change?.userName && change.date
            ? composer.changedBy(
                change.userName,
                isToday(change.date) ? format.time(change.date) : format.moment(change.date),
              )
            : composer.changedElsewhere}
        </p>
        {fields.map(({ key, name, theirs, yours }) => (
          <div key={key} className="conflict-field">
            <p className="h3">{name}</p>
            <Version title={composer.theirs} shown={theirs} />
            <Version title={composer.yours} shown={yours} />
          </div>
        ))}
        <div className="row">
          <Button onClick={keepYours}>{composer.keepYours}</Button>
          <Button onClick={takeTheirs}>{composer.takeTheirs}</Button>
        </div>
      </div>
    </div>
  );
}

/** A value as a conflict shows it. */
export const shownValue = (value: string | number | boolean | null | undefined): string => {
  if (value === null || value === undefined || value === '') return '–';
  return typeof value === 'boolean' ? (value ? '✓' : '–') : String(value);
};

const Version = ({ title, shown }: { readonly title: string; readonly shown: ReactNode }) => (
  <figure>
    <figcaption className="label">{title}</figcaption>
    {typeof shown === 'string' ? (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
      <pre className="mono" tabIndex={0}>
        {shown}
      </pre>
    ) : (
      shown
    )}
  </figure>
);
