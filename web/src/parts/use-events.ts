import { useEffect, useRef, useState } from 'react';
import { useSite } from '../session/session.tsx';

/** The names of events of the service's stream (streamEvents). */
export type EventName = 'job' | 'import' | 'export';
const names = ['job', 'import', 'export'] as const;

/** While the stream is live, records are still read at this interval, in case that a proxy holds events back. */
export const besidesMs = 5_000;
/** A stream says at least every 15 seconds that it is current. */
const silentMs = 35_000;
/** After a refusal (too many streams are open) it is retried. */
const retryMs = 30_000;

type EventData = Readonly<Record<string, unknown>>;

/** A part of the console that listens. */
interface Listener {
  changed(name: EventName, data: EventData, isFirst: boolean): void;
  setLive(isLive: boolean): void;
  /** Called when everything that is open has been sent on a new connection. */
  begun?(): void;
}

/** The stream of a site, which all parts of a tab share: a browser has few connections to one host. */
class SiteStream {
  readonly #url: string;
  readonly #listeners = new Set<Listener>();
  #source: EventSource | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #isLive = false;

  constructor(site: string) {
    this.#url = `/v1/${encodeURIComponent(site)}/events`;
  }

  /** @returns what ends it */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#open();
      document.addEventListener('visibilitychange', this.#open);
    } else listener.setLive(this.#isLive);
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      document.removeEventListener('visibilitychange', this.#open);
      this.#close();
    };
  }

  #setLive(isLive: boolean): void {
    this.#isLive = isLive;
    for (const listener of this.#listeners) listener.setLive(isLive);
  }

  #close(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#retry);
    this.#source?.close();
    this.#source = undefined;
    this.#setLive(false);
  }

  /** Opens it while the page can be seen: hidden tabs leave the connections to the others. */
  readonly #open = (): void => {
    this.#close();
    if (document.visibilityState !== 'visible') return;
    const source = new EventSource(this.#url);
    this.#source = source;
    let hasBegun = false;
    source.addEventListener('current', () => {
      clearTimeout(this.#silence);
      this.#silence = setTimeout(() => this.#setLive(false), silentMs);
      this.#setLive(true);
      if (!hasBegun) for (const listener of this.#listeners) listener.begun?.();
      hasBegun = true;
    });
    for (const name of names)
      source.addEventListener(name, ({ data }: MessageEvent<string>) => {
        for (const listener of this.#listeners) listener.changed(name, JSON.parse(data), !hasBegun);
      });
    source.addEventListener('error', () => {
      this.#setLive(false);
      // Otherwise the browser reconnects on its own, with the last id.
      if (source.readyState === EventSource.CLOSED) this.#retry = setTimeout(this.#open, retryMs);
    });
  };
}

const streams = new Map<string, SiteStream>();

function streamOf(site: string): SiteStream {
  const stream = streams.get(site) ?? new SiteStream(site);
  streams.set(site, stream);
  return stream;
}

/**
 * Calls `changed` for each event of a name with its data, and whether a new connection names what is open, while `isOn` and the page can be seen.
 * @param begun is called when a new connection has sent everything that is open
 * @returns whether the stream is live; if not, the caller polls.
 */
export function useEvents(
  name: EventName,
  isOn: boolean,
  changed: (data: EventData, isFirst: boolean) => void,
  begun?: () => void,
): boolean {
  const site = useSite();
  const [isLive, setLive] = useState(false);
  const latest = useRef({ changed, begun });
  latest.current = { changed, begun };
  useEffect(() => {
    if (!isOn) return undefined;
    const end = streamOf(site.name).listen({
      setLive,
      changed: (of, data, isFirst) => {
        if (of === name) latest.current.changed(data, isFirst);
      },
      begun: () => latest.current.begun?.(),
    });
    return () => {
      end();
      setLive(false);
    };
  }, [site.name, name, isOn]);
  return isLive;
}
