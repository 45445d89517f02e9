import { follow } from '../contents/spans.ts';
import type { MessageSource } from './message-source.ts';

/**
 * Returns the tracked link of an address, by the address and the advertisement around it. The text has no
 * advertisements. Must be called in the order of the addresses of a part (ContentOptions.linkOf).
 */
export function linkIdsOf({ links, spans = [] }: Pick<MessageSource, 'links' | 'spans'>) {
  const ids = new Map(links.map(({ url, id, placement = 0 }) => [`${placement} ${url}`, id]));
  return {
    inHtml() {
      const spanAt = follow(spans);
      return (url: string, start: number) => ids.get(`${spanAt(start, start + 1)?.id ?? 0} ${url}`);
    },
    inText: () => (url: string) => ids.get(`0 ${url}`),
  };
}
