/** Elements that run, load or lead somewhere by themselves. */
const loud = 'script, noscript, base, link, meta, iframe, frame, object, embed, applet, form[action]';
const loading = ['src', 'srcset', 'background', 'poster', 'data'];

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
 */
export function quietHtml(html: string, showsPictures: boolean): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  for (const element of page.querySelectorAll(loud)) element.remove();
  for (const element of page.querySelectorAll('*')) quieten(element, showsPictures);
  for (const sheet of page.querySelectorAll('style'))
    sheet.textContent = withoutUrls(sheet.textContent ?? '');
  for (const link of page.querySelectorAll('a[href], area[href]')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer');
  }
  return `<!doctype html>${page.documentElement.outerHTML}`;
}

function quieten(element: Element, showsPictures: boolean): void {
  for (const { name, value } of [...element.attributes]) {
    const isHeld = loading.includes(name) && !(showsPictures && name !== 'srcset' && isOwn(value));
    const isInline = name === 'src' && value.startsWith('data:image/');
    if (name.startsWith('on') || (isHeld && !isInline)) element.removeAttribute(name);
    else if (/^\s*javascript:/i.test(value)) element.removeAttribute(name);
    else if (name === 'style') element.setAttribute('style', withoutUrls(value));
  }
}

/** A style without what it would fetch. */
const withoutUrls = (css: string) =>
  css.replaceAll(/@import[^;]*;?/gi, '').replaceAll(/url\(\s*(?!['"]?data:)[^)]*\)/gi, 'none');
