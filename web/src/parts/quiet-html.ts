/** Elements that run, load or lead somewhere by themselves. A template hides its elements until the frame reads it. */
const loud =
  'script, noscript, template, base, link, meta, iframe, frame, object, embed, applet, image, use, feImage';
const loading = ['src', 'srcset', 'background', 'poster', 'data', 'action', 'formaction'];

/** Whether an address is one of this service, or holds the picture itself. */
function isOwn(address: string): boolean {
  try {
    const { origin, protocol } = new URL(address, location.origin);
    return protocol === 'data:' || protocol === 'blob:' || protocol === 'cid:' || origin === location.origin;
  } catch {
    return false;
  }
}

/**
 * A message's HTML as it can be shown without running or fetching anything: scripts, handlers and addresses that load
 * by themselves are removed, links open in a new tab. What is stored stays as it is; this is only for the eye.
 * @param mark writes into the page what is shown beside the message's own
 */
export function quietHtml(html: string, showsPictures: boolean, mark?: (page: Document) => void): string {
  const page = new DOMParser().parseFromString(withoutHandlers(html), 'text/html');
  for (const element of page.querySelectorAll(loud)) element.remove();
  for (const element of page.querySelectorAll('*')) quieten(element, showsPictures);
  for (const sheet of page.querySelectorAll('style'))
    sheet.textContent = withoutUrls(sheet.textContent ?? '');
  for (const link of page.querySelectorAll('a[href], area[href]')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
  }
  mark?.(page);
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

/**
 * The HTML without handlers and base addresses, which the policy of the page would report while they are parsed.
 * Nothing depends on it for safety: what it misses is removed afterwards.
 */
const withoutHandlers = (html: string) =>
  html
    .replaceAll(/<(\/?)base\b/gi, '<$1x-base')
    .replaceAll(/<[a-z](?:"[^"]*"|'[^']*'|[^'"<>])*>/gi, (tag) =>
      tag.replaceAll(/([\s"'/])on[a-z]+(?=\s*=)/gi, '$1data-off'),
    );

function quieten(element: Element, showsPictures: boolean): void {
  for (const { name, value } of [...element.attributes]) {
    const isHeld = loading.includes(name) && !(showsPictures && name !== 'srcset' && isOwn(value));
    const isInline = name === 'src' && value.startsWith('data:image/');
    if (name.startsWith('on') || name === 'autofocus' || (isHeld && !isInline)) element.removeAttribute(name);
    else if (/^\s*javascript:/i.test(value)) element.removeAttribute(name);
    else if (name === 'style') element.setAttribute('style', withoutUrls(value));
  }
}

/** A style without what it would fetch. */
const withoutUrls = (css: string) =>
  css.replaceAll(/@import[^;]*;?/gi, '').replaceAll(/url\(\s*(?!['"]?data:)[^)]*\)/gi, 'none');
