import { follow } from '../contents/spans.ts';
import type { MessageSource } from './message-source.ts';

/**
 * Which tracked link an address of a message is: by the address, and by the advertisement that it is in. The text has
 * no advertisements. To be asked in the order in which the addresses of one part stand (ContentOptions.linkOf).
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
