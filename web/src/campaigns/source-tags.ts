import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { forEachDiagnostic, setDiagnosticsEffect } from '@codemirror/lint';
import { EditorState, type Extension, StateField } from '@codemirror/state';
import {
  Decoration,
  type DecorationSet,
  EditorView,
  hoverTooltip,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
  WidgetType,
} from '@codemirror/view';
import { plainText } from '../parts/plain-text.ts';
import { begunTag, type KnownTag, tagsFor } from './known-tags.ts';

/** Something wrong in the source, in words. */
export interface SourceFault {
  readonly line: number;
  readonly column: number;
  readonly tag: string | null;
  readonly message: string;
}

/** Completes after `[[`, by number and by name; marks tags; says below a line what is wrong in it. */
export function tagTools(tags: () => readonly KnownTag[]): Extension {
  const complete = (context: CompletionContext): CompletionResult | null => {
    const typed = context.matchBefore(begunTag);
    if (!typed) return null;
    return { from: typed.from, filter: false, options: tagsFor(tags(), typed.text).map(optionOf) };
  };
  return [
    EditorState.languageData.of(() => [{ autocomplete: complete }]),
    marked,
    faultLines,
    hoverTooltip((view, place) => {
      const line = view.state.doc.lineAt(place);
      for (const { index, 0: written } of line.text.matchAll(/\[\[([^[\]|\n]+)[^[\]\n]*\]\]/g)) {
        const from = line.from + index;
        if (place < from || place > from + written.length) continue;
        const inside = plainText(written.slice(2).split(/[|\]]/, 1)[0]!.trim());
        const tag = tags().find((one) => plainText(one.inside) === inside);
        return tag ? { pos: from, end: from + written.length, above: true, create: () => tip(tag) } : null;
      }
      return null;
    }),
  ];
}

function tip({ name, value }: KnownTag) {
  const dom = document.createElement('div');
  dom.className = 'cm-tag-tip';
  dom.textContent = value === undefined ? name : `${name}: ${value}`;
  return { dom };
}

const optionOf = ({ inside, name }: KnownTag): Completion => ({
  label: inside,
  detail: name,
  apply(view, _completion, from, to) {
    // The editor closes brackets itself.
    const behind = view.state.sliceDoc(to, to + 2) === ']]' ? 2 : 0;
    const insert = `[[${inside}]]`;
    view.dispatch({
      changes: { from, to: to + behind, insert },
      selection: { anchor: from + insert.length },
      userEvent: 'input.complete',
    });
  },
});

const tagMark = Decoration.mark({ class: 'cm-tag' });
const decorator = new MatchDecorator({ regexp: /\[\[[^[\]\n]{1,300}\]\]/g, decoration: tagMark });
const marked = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorator.createDeco(view);
    }
    update(update: ViewUpdate) {
      this.decorations = decorator.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

/** The faults of a line, in words below it. */
class FaultLine extends WidgetType {
  readonly #message: string;
  constructor(message: string) {
    super();
    this.#message = message;
  }
  override eq(other: FaultLine) {
    return other.#message === this.#message;
  }
  override toDOM() {
    const dom = document.createElement('div');
    dom.className = 'cm-fault';
    dom.textContent = this.#message;
    return dom;
  }
}

const wrongLine = Decoration.line({ class: 'cm-fault-line' });

function faultLinesOf(state: EditorState): DecorationSet {
  const messages = new Map<number, Set<string>>();
  forEachDiagnostic(state, ({ message }, from) => {
    const { number } = state.doc.lineAt(from);
    messages.set(number, (messages.get(number) ?? new Set()).add(message));
  });
  const decorations = [...messages].flatMap(([number, texts]) => {
    const { from, to } = state.doc.line(number);
    const widget = new FaultLine([...texts].join(' '));
    return [wrongLine.range(from), Decoration.widget({ widget, side: 1, block: true }).range(to)];
  });
  return Decoration.set(decorations, true);
}

const faultLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (lines, transaction) =>
    transaction.effects.some((effect) => effect.is(setDiagnosticsEffect))
      ? faultLinesOf(transaction.state)
      : lines.map(transaction.changes),
  provide: (field) => EditorView.decorations.from(field),
});
