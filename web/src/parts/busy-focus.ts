/**
 * Brings the focus back to a button that was busy, unless it went elsewhere: a busy button is disabled, and loses it.
 * For the life of the page.
 */
export function keepBusyFocus(): void {
  let last: EventTarget | null = null;
  document.addEventListener('focusin', ({ target }) => {
    last = target;
  });
  new MutationObserver((changes) => {
    for (const { target } of changes)
      if (target === last && target instanceof HTMLButtonElement && !target.disabled)
        if (document.activeElement === document.body) target.focus({ preventScroll: true });
  }).observe(document, { subtree: true, attributeFilter: ['data-loading'] });
}
