import { autocompletion } from '@codemirror/autocomplete';
import { html } from '@codemirror/lang-html';
import { forceLinting, linter, previousDiagnostic } from '@codemirror/lint';
import { Compartment, EditorState, Prec } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';
import { basicSetup } from 'codemirror';
import { type Ref, useEffect, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { useWords } from '../words/words.tsx';
import type { KnownTag } from './known-tags.ts';
import { editorLooks } from './source-looks.ts';
import { exactSource, setSource, sourceField } from './source-state.ts';
import { type SourceFault, tagTools } from './source-tags.ts';
import { shownText } from './source-text.ts';

/** Leads to a place of the source. */
export interface SourcePlace {
  goTo(line: number, column: number): void;
}

export interface SourceEditorProps {
  readonly text: string;
  readonly isReadOnly: boolean;
  readonly onChange: (text: string) => void;
  readonly faults: readonly SourceFault[];
  readonly tags: readonly KnownTag[];
  /** Keys of the composer that the editor would use for itself. */
  readonly keys: readonly { readonly key: string; readonly run: () => void }[];
  /** The selection to begin with; the editor then has the focus. */
  readonly start?: readonly [number, number] | undefined;
  readonly ref?: Ref<SourcePlace>;
}

/** The HTML in an editor that completes tags and marks what is wrong with them. */
export function SourceEditor(props: SourceEditorProps) {
  const { words, format } = useWords();
  const { composer } = words;
  const { text, isReadOnly, faults, ref } = props;
  const parent = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const [first] = useState({ words: composer, isReadOnly });
  const [access] = useState(() => new Compartment());
  const [place, setPlace] = useState({ line: 1, column: 1 });
  // With the removal of the plain field: a key between both would go nowhere.
  useLayoutEffect(() => {
    // It stays while something above hides the screen for a moment.
    if (view.current) return;
    const { start } = latest.current;
    const made = new EditorView({
      parent: parent.current!,
      state: EditorState.create({
        doc: latest.current.text,
        ...(start && { selection: { anchor: start[0], head: start[1] } }),
        extensions: [
          sourceField.init(() => latest.current.text),
          exactSource(),
          Prec.highest(keymap.of(keysOf(latest))),
          keymap.of([{ key: 'Shift-F8', run: previousDiagnostic }]),
          basicSetup,
          autocompletion({ icons: false, maxRenderedOptions: 50 }),
          html({ matchClosingTags: false, autoCloseTags: false }),
          tagTools(() => latest.current.tags),
          linter(({ state }) => latest.current.faults.flatMap((fault) => diagnosticOf(state, fault)), {
            delay: 0,
            needsRefresh: () => true,
          }),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': first.words.html }),
          EditorState.phrases.of(first.words.editor),
          access.of(EditorState.readOnly.of(first.isReadOnly)),
          editorLooks,
          EditorView.updateListener.of(({ state, docChanged, selectionSet }) => {
            if (docChanged) latest.current.onChange(state.field(sourceField));
            if (!docChanged && !selectionSet) return;
            const { from } = state.selection.main;
            const line = state.doc.lineAt(from);
            setPlace({ line: line.number, column: from - line.from + 1 });
          }),
        ],
      }),
    });
    view.current = made;
    if (start) made.focus();
  }, [access, first]);
  useEffect(
    () => () => {
      view.current?.destroy();
      view.current = undefined;
    },
    [],
  );
  // What another person saved, or what was discarded. Before the next key, which would be lost otherwise.
  useLayoutEffect(() => {
    const { current } = view;
    if (!current || current.state.field(sourceField) === text) return;
    const changes = { from: 0, to: current.state.doc.length, insert: shownText(text) };
    current.dispatch({ changes, effects: setSource.of(text) });
  }, [text]);
  useEffect(() => {
    view.current?.dispatch({ effects: access.reconfigure(EditorState.readOnly.of(isReadOnly)) });
  }, [access, isReadOnly]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: faults are what the linter reads
  useEffect(() => {
    if (view.current) forceLinting(view.current);
  }, [faults]);
  useImperativeHandle(ref, () => ({
    goTo(line, column) {
      const { current } = view;
      if (!current) return;
      const anchor = placeIn(current.state, line, column);
      current.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: 'center' }),
      });
      current.focus();
    },
  }));
  const nbTags = (text.match(/\[\[[^\]]*\]\]/g) ?? []).length;
  return (
    <>
      <div ref={parent} className="source-editor" />
      <div className="source-foot label text-3">
        <span>{composer.place(format.count(place.line), format.count(place.column))}</span>
        <span className={faults.length > 0 ? 'red' : ''}>
          {composer.tags(nbTags, faults.length)}
          {faults.length > 0 && (
            <>
              {' '}
              <kbd>F8</kbd>
            </>
          )}
        </span>
      </div>
    </>
  );
}

/** The composer's keys, before those of the editor. */
const keysOf = (latest: { readonly current: SourceEditorProps }) =>
  latest.current.keys.map(({ key }) => ({
    key,
    run: () => {
      latest.current.keys.find((one) => one.key === key)?.run();
      return true;
    },
  }));

function placeIn({ doc }: EditorState, line: number, column: number): number {
  const { from, to } = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(from + Math.max(column - 1, 0), to);
}

function diagnosticOf(state: EditorState, { line, column, tag, message }: SourceFault) {
  if (line > state.doc.lines) return [];
  const from = placeIn(state, line, column);
  // The text may have changed since it was checked.
  if (tag !== null && state.sliceDoc(from, from + tag.length) !== tag) return [];
  const to = tag === null ? state.doc.lineAt(from).to : from + tag.length;
  return [{ from, to: Math.max(to, from), severity: 'error' as const, message }];
}
