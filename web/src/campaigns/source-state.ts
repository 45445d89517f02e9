import { invertedEffects } from '@codemirror/commands';
import {
  type ChangeSet,
  EditorState,
  type Extension,
  StateEffect,
  StateField,
  type Transaction,
} from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { likeSource, type Replaced, replaceParts, shownText } from './source-text.ts';

/** Sets the source of the text that the same transaction inserts. */
export const setSource = StateEffect.define<string>();

const partsOf = (changes: ChangeSet): Replaced[] => {
  const parts: Replaced[] = [];
  changes.iterChanges((from, to, _fromB, _toB, inserted) =>
    parts.push({ from, to, insert: inserted.toString() }),
  );
  return parts;
};

const givenSource = ({ effects }: Transaction): string | undefined =>
  effects.find((effect) => effect.is(setSource))?.value;

/**
 * The source byte by byte. The document of the editor knows line feeds only, so that this field keeps what its lines
 * end with.
 */
export const sourceField = StateField.define<string>({
  create: (state) => state.doc.toString(),
  update(source, transaction) {
    if (!transaction.docChanged) return source;
    const given = givenSource(transaction);
    if (given !== undefined && shownText(given) === transaction.newDoc.toString()) return given;
    const parts = partsOf(transaction.changes);
    const next = replaceParts(
      source,
      parts.map((part) => ({ ...part, insert: likeSource(part.insert, source) })),
    );
    // A carriage return that meets a line feed would become one line end.
    return shownText(next).length === transaction.newDoc.length ? next : transaction.newDoc.toString();
  },
});

/** Keeps the bytes of what is pasted or dropped, and of what an undo brings back. */
export function exactSource(): Extension {
  let pasted: string | undefined;
  return [
    sourceField,
    EditorView.clipboardInputFilter.of((text) => {
      pasted = text;
      return text;
    }),
    EditorState.transactionExtender.of((transaction) => {
      const raw = pasted;
      pasted = undefined;
      if (raw === undefined || !transaction.docChanged) return null;
      const parts = partsOf(transaction.changes);
      if (parts.length !== 1 || shownText(raw) !== parts[0]!.insert) return null;
      const source = transaction.startState.field(sourceField);
      return { effects: setSource.of(replaceParts(source, [{ ...parts[0]!, insert: raw }])) };
    }),
    invertedEffects.of((transaction) =>
      givenSource(transaction) === undefined ? [] : [setSource.of(transaction.startState.field(sourceField))],
    ),
  ];
}
