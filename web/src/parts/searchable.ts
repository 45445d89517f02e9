import type { KeyboardEvent, SyntheticEvent } from 'react';
import { useWords } from '../words/words.tsx';

/** How Mantine marks the option that Enter means. */
const mark = 'data-combobox-selected';
/** Fields in which something was typed that has chosen nothing yet. */
const typedInto = new WeakSet<HTMLInputElement>();

// A click on an option leaves the focus in the field.
document.addEventListener(
  'click',
  ({ target }) => {
    const field = document.activeElement;
    const isOption = target instanceof Element && target.closest('[data-combobox-option]');
    if (isOption && field instanceof HTMLInputElement) typedInto.delete(field);
  },
  true,
);

/** Whether a text was typed that has chosen nothing yet: its list is open, also before the field says so. */
export const isTyped = (field: HTMLInputElement): boolean =>
  typedInto.has(field) && field.value.trim() !== '';

/** The option that Enter means: the one that the arrows have reached, or else the first one. */
function optionFor(field: HTMLInputElement): HTMLElement | undefined {
  // Only one list is open at a time; those that were open stay in the page, hidden.
  const options = [
    ...document.querySelectorAll<HTMLElement>('[data-combobox-option]:not([data-combobox-disabled])'),
  ].filter((option) => option.checkVisibility());
  // Where several are chosen, a chosen one would be removed.
  const isOfSeveral = field.matches('.mantine-MultiSelect-inputField');
  return (
    options.find((option) => option.hasAttribute(mark)) ??
    options.find((option) => !isOfSeveral || option.ariaSelected !== 'true')
  );
}

/** Chooses the option that Enter means. Returns false while none is shown for what was typed. */
function chooseFirst(field: HTMLInputElement): boolean {
  // What is shown belongs to an earlier text.
  if (field.ariaBusy === 'true') return false;
  const option = optionFor(field);
  if (!option) return false;
  typedInto.delete(field);
  option.click();
  return true;
}

/** Chooses as soon as an option is shown, unless the user goes on before that. */
function chooseWhenShown(field: HTMLInputElement): void {
  const text = field.value;
  const observer = new MutationObserver(() => {
    const isOver = !typedInto.has(field) || field.value !== text;
    if (isOver || chooseFirst(field)) observer.disconnect();
  });
  observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['aria-busy'] });
}

/**
 * The keys of a field that searches a list: Enter after a typed text chooses the first option that is shown for it,
 * however fast. Mantine alone forgets its first option for a moment whenever the list opens.
 */
export const enterChooses = {
  onInput({ currentTarget }: SyntheticEvent<HTMLInputElement>) {
    typedInto.add(currentTarget);
    setTimeout(() => {
      if (isTyped(currentTarget) && currentTarget.ariaBusy !== 'true')
        optionFor(currentTarget)?.setAttribute(mark, 'true');
    });
  },
  onBlurCapture({ currentTarget }: SyntheticEvent<HTMLInputElement>) {
    typedInto.delete(currentTarget);
  },
  onKeyDownCapture(event: KeyboardEvent<HTMLInputElement>) {
    const field = event.currentTarget;
    if (event.key === 'Escape') typedInto.delete(field);
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || !isTyped(field)) return;
    event.preventDefault();
    event.stopPropagation();
    if (!chooseFirst(field)) chooseWhenShown(field);
  },
};

/** What the searchable choices of the console share: the keys, and a line where nothing matches. */
export function useSearchable() {
  const { words } = useWords();
  return { searchable: true, nothingFoundMessage: words.shell.noMatch, ...enterChooses } as const;
}
