import { quietHtml } from '../parts/quiet-html.ts';

/** A figure that is shown at a link of the message. */
export interface LinkMark {
  /** The address as the campaign stores it, tags unfilled. */
  readonly url: string;
  /** The number of the link in the list beside the message. */
  readonly number: number;
  /** Share of the clicks, in words. */
  readonly share: string;
}

/** An address of an HTML source as the service reads it: without spaces around it and line breaks inside. */
const plain = (address: string) => address.trim().replaceAll(/[\t\n\r]/g, '');

const isLink = 'a[href], area[href]';

/** How often each of the addresses is in a message, among the links that can be followed. */
export function placesOf(html: string, urls: readonly string[]): ReadonlyMap<string, number> {
  const places = new Map(urls.map((url) => [url, 0]));
  quietHtml(html, false, (page) => {
    for (const link of page.querySelectorAll(isLink)) {
      const url = plain(link.getAttribute('href')!);
      const known = places.get(url);
      if (known !== undefined) places.set(url, known + 1);
    }
  });
  return places;
}

const look =
  'all: initial; display: inline-block; margin-inline-start: 4px; padding: 1px 6px; border-radius: 9px; ' +
  'background: #2f54c9; color: #fff; font: 600 11px/16px sans-serif; white-space: nowrap; vertical-align: middle;';

/** Writes the share of each link beside it. An address in several places has its figure at each of them. */
export function markLinks(page: Document, marks: readonly LinkMark[]): void {
  const byUrl = new Map(marks.map((mark) => [mark.url, mark]));
  for (const link of page.querySelectorAll(isLink)) {
    const mark = byUrl.get(plain(link.getAttribute('href')!));
    if (!mark) continue;
    const badge = page.createElement('span');
    badge.setAttribute('style', look);
    badge.textContent = `${mark.number} · ${mark.share}`;
    // A part of a picture's map is not shown itself: its figure follows the map.
    const at = link.tagName === 'AREA' ? (link.closest('map') ?? link) : link;
    at.after(badge);
  }
}
