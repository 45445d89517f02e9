import { useInterval } from '@mantine/hooks';
import { onlineManager, type Query, useQueryClient } from '@tanstack/react-query';
import { useCallback, useSyncExternalStore } from 'react';
import { ApiError, isTemporary } from '../api/api-error.ts';
import { useWords } from '../words/words.tsx';
import './stale.css';

/** How often what could not be read is read again. */
const retryMs = 5_000;

/** Whether a part of the screen still shows what it read before, because its last read failed. */
const isStale = (query: Query): boolean =>
  query.isActive() && query.state.data !== undefined && isTemporary(query.state.error) && !isSignedOut(query);
/** An ended session has a form of its own. */
const isSignedOut = ({ state: { error } }: Query) => error instanceof ApiError && error.status === 401;

const listen = (changed: () => void) => onlineManager.subscribe(changed);
const isOnline = () => onlineManager.isOnline();

/** When the oldest figures of the screen were read, in milliseconds since 1970, if they cannot be renewed; or null. */
function useStaleSince(): number | null {
  const queries = useQueryClient();
  const cache = queries.getQueryCache();
  const subscribe = useCallback((changed: () => void) => cache.subscribe(changed), [cache]);
  return useSyncExternalStore(subscribe, () => {
    const times = cache.findAll({ predicate: isStale }).map(({ state }) => state.dataUpdatedAt);
    return times.length > 0 ? Math.min(...times) : null;
  });
}

/** Says above every screen that its figures cannot be renewed, and from when they are, until they can. */
export function Stale() {
  const { words, format } = useWords();
  const queries = useQueryClient();
  const since = useStaleSince();
  const isConnected = useSyncExternalStore(listen, isOnline);
  const tryAgain = () => queries.refetchQueries({ predicate: isStale }, { cancelRefetch: false });
  useInterval(() => void tryAgain(), retryMs, { autoInvoke: true });
  const text = !isConnected
    ? words.shell.offline
    : since !== null && words.shell.stale(format.timeWithSeconds(new Date(since)));
  return <div role="status">{text && <p className={isConnected ? 'stale amber' : 'stale'}>{text}</p>}</div>;
}
