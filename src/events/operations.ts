import type { Operation } from '../platform/http/operation.ts';
import { streamEvents } from './api/stream-events.ts';

export const eventsOperations: readonly Operation[] = [streamEvents];
