import type { Operation } from '../platform/http/operation.ts';
import { getLastChange } from './api/get-last-change.ts';
import { streamEvents } from './api/stream-events.ts';

export const eventsOperations: readonly Operation[] = [getLastChange, streamEvents];
