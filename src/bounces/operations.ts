import type { Operation } from '../platform/http/operation.ts';
import { getMailboxMessage } from './api/get-mailbox-message.ts';
import { listMailbox } from './api/list-mailbox.ts';

export const bouncesOperations: readonly Operation[] = [listMailbox, getMailboxMessage];
