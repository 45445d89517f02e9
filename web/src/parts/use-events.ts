import { useEffect, useRef, useState } from 'react';
import { useSite } from '../session/session.tsx';

/** The names of events of the service's stream (streamEvents). */
export type EventName = 'job' | 'import' | 'export';

/** While the stream is live, what it tells of is read this often besides, in case that a proxy holds events back. */
export const besidesMs = 5_000;
/** A stream says at least every 15 seconds that it is current. */
const silentMs = 35_000;
/** After a refusal (too many streams are open) it is tried again. */
const retryMs = 30_000;

/**
 * Calls `changed` for each event of a name with its data, while `isOn` and the page can be seen: a browser has few
 * connections to one host, and tabs share them.
 * @returns whether the stream is live; if not, the caller polls.
 */
export function useEvents(
  name: EventName,
  isOn: boolean,
  changed: (data: Readonly<Record<string, unknown>>) => void,
): boolean {
  const site = useSite();
  const [isLive, setLive] = useState(false);
  const latest = useRef(changed);
  latest.current = changed;
  useEffect(() => {
    if (!isOn) return undefined;
    let source: EventSource | undefined;
    let silence: ReturnType<typeof setTimeout> | undefined;
    let retry: ReturnType<typeof setTimeout> | undefined;
    const close = () => {
      clearTimeout(silence);
      clearTimeout(retry);
      source?.close();
      source = undefined;
      setLive(false);
    };
    const open = () => {
      close();
      if (document.visibilityState !== 'visible') return;
      source = new EventSource(`/v1/${encodeURIComponent(site.name)}/events`);
      source.addEventListener('current', () => {
        clearTimeout(silence);
        silence = setTimeout(() => setLive(false), silentMs);
        setLive(true);
      });
      source.addEventListener(name, ({ data }: MessageEvent<string>) => latest.current(JSON.parse(data)));
      source.addEventListener('error', () => {
        setLive(false);
        // Otherwise the browser connects again by itself, with the last id.
        if (source?.readyState === EventSource.CLOSED) retry = setTimeout(open, retryMs);
      });
    };
    open();
    document.addEventListener('visibilitychange', open);
    return () => {
      document.removeEventListener('visibilitychange', open);
      close();
    };
  }, [site.name, name, isOn]);
  return isLive;
}
