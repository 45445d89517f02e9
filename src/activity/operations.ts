import type { Operation } from '../platform/http/operation.ts';
import { unsubscribe } from './api/unsubscribe.ts';

export const activityOperations: readonly Operation[] = [unsubscribe];
