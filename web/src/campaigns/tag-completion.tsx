import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { begunTag, type KnownTag, tagsFor } from './known-tags.ts';
import './tag-completion.css';

/** A field that takes text: of one line, of several, or with bold words. */
type TextField = HTMLInputElement | HTMLTextAreaElement | HTMLElement;

const mostShown = 8;

/** Where a tag was begun: the field, and the text before and behind the caret. */
interface Begun {
  readonly field: TextField;
  readonly before: string;
  readonly behind: string;
}

const isPlain = (field: TextField): field is HTMLInputElement | HTMLTextAreaElement =>
  field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;

/** The tag that is being written at the caret of the field with the focus. */
function begunAt(field: TextField): Begun | undefined {
  const [text, caret] = isPlain(field) ? [field.value, field.selectionStart] : wordsAt(field);
  const before = begunTag.exec(text.slice(0, caret ?? 0))?.[0];
  return before === undefined ? undefined : { field, before, behind: text.slice(caret ?? 0) };
}

/** The words that the caret is in, and its place among them. */
function wordsAt(field: HTMLElement): [text: string, caret: number] {
  const { focusNode, focusOffset } = getSelection() ?? {};
  const isIn = focusNode instanceof Text && field.contains(focusNode);
  return isIn ? [focusNode.data, focusOffset ?? 0] : ['', 0];
}

/** Writes a tag in place of its beginning, as typing does, so that it can be undone. */
function write({ field, before, behind }: Begun, { inside }: KnownTag): void {
  const after = behind.startsWith(']]') ? 2 : 0;
  if (isPlain(field)) {
    const caret = field.selectionStart ?? 0;
    field.setSelectionRange(caret - before.length, caret + after);
  } else {
    const selection = getSelection()!;
    const { focusNode: words, focusOffset: caret } = selection;
    selection.setBaseAndExtent(words!, caret - before.length, words!, caret + after);
  }
  document.execCommand('insertText', false, `[[${inside}]]`);
}

interface TagCompletionProps {
  readonly tags: readonly KnownTag[];
  readonly children: ReactNode;
}

/** Completes tags in the text fields inside, as the editor of the HTML does: `[[` opens the choice. */
export function TagCompletion({ tags, children }: TagCompletionProps) {
  const { words } = useWords();
  const id = useId();
  const area = useRef<HTMLDivElement>(null);
  const [begun, setBegun] = useState<Begun>();
  const [current, setCurrent] = useState(0);
  const options = begun ? tagsFor(tags, begun.before) : [];
  const chosen = Math.min(current, options.length - 1);
  const field = options.length > 0 ? begun?.field : undefined;
  useMarks(field, id, chosen);
  const look = (target: EventTarget) => {
    // Not of a dialog that a field opens.
    const isInside = target instanceof HTMLElement && area.current?.contains(target);
    setBegun(isInside ? begunAt(target) : undefined);
    setCurrent(0);
  };
  const take = (tag: KnownTag | undefined) => {
    if (begun && tag) write(begun, tag);
    setBegun(undefined);
  };
  const onKey = (event: KeyboardEvent) => {
    if (!field || event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setCurrent((chosen + step + options.length) % options.length);
    else if (event.key === 'Enter') take(options[chosen]);
    else if (event.key === 'Escape') setBegun(undefined);
    else return;
    // The key is not for the field.
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears what its fields hear
    // biome-ignore lint/a11y/useKeyWithClickEvents: a click only closes the choice
    <div
      ref={area}
      className="tag-completion"
      onInput={({ target }) => look(target)}
      onKeyDownCapture={onKey}
      onClick={() => setBegun(undefined)}
      onBlur={() => setBegun(undefined)}
    >
      {children}
      {field && area.current && (
        <div
          id={id}
          className="tag-options"
          role="listbox"
          aria-label={words.campaignParts.tagsToChoose}
          style={placeBelow(field, area.current)}
        >
          {shownOf(options, chosen).map(({ tag, index }) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses in the field
            // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
            <div
              key={tag.inside}
              id={`${id}-${index}`}
              role="option"
              aria-selected={index === chosen}
              aria-posinset={index + 1}
              aria-setsize={options.length}
              // The caret stays where it is.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(tag)}
            >
              <span className="mono">{tag.inside}</span>
              <span className="cut">{tag.name}</span>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

/** The options in sight: a list that scrolls would have to be a stop of the Tab key. */
const shownOf = (options: readonly KnownTag[], chosen: number) => {
  const first = Math.max(0, chosen + 1 - mostShown);
  return options.slice(first, first + mostShown).map((tag, at) => ({ tag, index: first + at }));
};

/** Below a field, and as wide. */
function placeBelow(field: HTMLElement, area: HTMLElement) {
  const [own, around] = [field.getBoundingClientRect(), area.getBoundingClientRect()];
  return { top: own.bottom - around.top + 2, left: own.left - around.left, width: own.width };
}

/** Says on the field which option is chosen. */
function useMarks(field: HTMLElement | undefined, id: string, chosen: number): void {
  useEffect(() => {
    if (!field) return undefined;
    const option = `${id}-${chosen}`;
    const marks = {
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      'aria-controls': id,
      'aria-activedescendant': option,
    };
    for (const [name, value] of Object.entries(marks)) field.setAttribute(name, value);
    return () => {
      for (const name of Object.keys(marks)) field.removeAttribute(name);
    };
  }, [field, id, chosen]);
}
