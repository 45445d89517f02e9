/** The requests that a POST to the unsubscribe address can make. */
export type UnsubscribeRequest = 'oneClick' | 'page' | 'undo';

/** Name and value of the button on the page. */
export const pageButton = { name: 'confirm', value: 'yes' } as const;

/** Name and value of the button that undoes it. */
export const undoButton = { name: 'undo', value: 'yes' } as const;

/** Maximum size of a body; those of mailbox providers and our page are smaller. */
export const maxFormBytes = 16 * 1024;

/**
 * Reads the body of the POST; undefined if it makes no known request, so that a stray POST changes nothing. RFC 8058
 * allows both form encodings. The parts of a multipart body are found without its boundary, because the RFC's own
 * example announces another boundary than it uses (errata 5117), and receivers copy it.
 */
export function readUnsubscribeForm(contentType: string, body: string): UnsubscribeRequest | undefined {
  if (/^multipart\/form-data/i.test(contentType)) {
    if (partIs(body, 'List-Unsubscribe', 'One-Click')) return 'oneClick';
    return partIs(body, pageButton.name, pageButton.value) ? 'page' : undefined;
  }
  const form = new URLSearchParams(body.trim());
  if (form.get('List-Unsubscribe') === 'One-Click') return 'oneClick';
  if (form.get(undoButton.name) === undoButton.value) return 'undo';
  return form.get(pageButton.name) === pageButton.value ? 'page' : undefined;
}

/** Whether a part has exactly this name and value. Line ends may have lost their CR on the way. */
function partIs(body: string, name: string, value: string): boolean {
  const [, ...parts] = body.split(/^--/m);
  return parts.some((part) => {
    const [head = '', ...rest] = part.split(/\r?\n\r?\n/);
    const isNamed = new RegExp(
      `^content-disposition:\\s*form-data;(?:.*;)?\\s*name="?${name}"?\\s*(?:;|$)`,
      'im',
    );
    return isNamed.test(head) && rest.join('\n\n').trim() === value;
  });
}
