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

const idOf = { job: 'idJob', import: 'idImport', export: 'idExportJob' } as const;
const openStates = {
  job: ['Programmed', 'Generating', 'Sending', 'Paused'],
  import: ['Scheduled', 'InProgress', 'Paused'],
  export: ['SCHEDULED', 'RUNNING'],
} as const;

/** Whether the record of an event has not ended. */
function isOpen(name: EventName, { state, exportJobState, isDeleted }: EventData): boolean {
  const states: readonly unknown[] = openStates[name];
  return states.includes(name === 'export' ? exportJobState : state) && isDeleted !== true;
}

/** A part of the console that listens. */
interface Listener {
  changed(name: EventName, data: EventData, isFirst: boolean): void;
  setLive(isLive: boolean): void;
  /** Called when a connection is made, before it names what is open. */
  opened?(): void;
  /** Called when everything that is open has been named. */
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
  /** Whether the connection has named everything that is open. */
  #hasBegun = false;
  /** The open records by name and id, for parts that listen later. */
  readonly #records = new Map<string, { readonly name: EventName; readonly data: EventData }>();

  constructor(site: string) {
    this.#url = `/v1/${encodeURIComponent(site)}/events`;
  }

  /** @returns what ends it */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#open();
      document.addEventListener('visibilitychange', this.#open);
    } else {
      listener.setLive(this.#isLive);
      listener.opened?.();
      for (const { name, data } of this.#records.values()) listener.changed(name, data, true);
      if (this.#hasBegun) listener.begun?.();
    }
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
    this.#forget();
    this.#setLive(false);
  }

  #forget(): void {
    this.#hasBegun = false;
    this.#records.clear();
  }

  #keep(name: EventName, data: EventData): void {
    const key = `${name} ${data[idOf[name]]}`;
    if (isOpen(name, data)) this.#records.set(key, { name, data });
    else this.#records.delete(key);
  }

  /** Opens it while the page can be seen: hidden tabs leave the connections to the others. */
  readonly #open = (): void => {
    this.#close();
    if (document.visibilityState !== 'visible') return;
    const source = new EventSource(this.#url);
    this.#source = source;
    source.addEventListener('open', () => {
      this.#forget();
      for (const listener of this.#listeners) listener.opened?.();
    });
    source.addEventListener('current', () => {
      clearTimeout(this.#silence);
      this.#silence = setTimeout(() => this.#setLive(false), silentMs);
      this.#setLive(true);
      if (this.#hasBegun) return;
      this.#hasBegun = true;
      for (const listener of this.#listeners) listener.begun?.();
    });
    for (const name of names)
      source.addEventListener(name, ({ data }: MessageEvent<string>) => {
        const record: EventData = JSON.parse(data);
        this.#keep(name, record);
        for (const listener of this.#listeners) listener.changed(name, record, !this.#hasBegun);
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
 * Calls `changed` for each event of a name with its data, while `isOn` and the page can be seen. `isFirst` says that
 * the event names what is open: on a new connection, or to a part that listens to one later.
 * @param more `opened` is called before what is open is named, and `begun` when all of it is
 * @returns whether the stream is live; if not, the caller polls.
 */
export function useEvents(
  name: EventName,
  isOn: boolean,
  changed: (data: EventData, isFirst: boolean) => void,
  more?: Pick<Listener, 'opened' | 'begun'>,
): boolean {
  const site = useSite();
  const [isLive, setLive] = useState(false);
  const latest = useRef({ changed, more });
  latest.current = { changed, more };
  useEffect(() => {
    if (!isOn) return undefined;
    const end = streamOf(site.name).listen({
      setLive,
      changed: (of, data, isFirst) => {
        if (of === name) latest.current.changed(data, isFirst);
      },
      opened: () => latest.current.more?.opened?.(),
      begun: () => latest.current.more?.begun?.(),
    });
    return () => {
      end();
      setLive(false);
    };
  }, [site.name, name, isOn]);
  return isLive;
}
