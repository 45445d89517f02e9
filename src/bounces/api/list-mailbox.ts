import { adminOperation } from '../../platform/http/operation.ts';
import { Count, Line, Paged, pageOf, Query, Type } from '../../platform/http/schema.ts';
import { MailboxMessage, listMailbox as readPage } from '../mailbox-store.ts';

export const listMailbox = adminOperation({
  id: 'listMailbox',
  method: 'GET',
  path: '/mailbox',
  right: 'admin',
  tag: 'Mailbox',
  summary: 'List the messages of the built-in mailbox, newest first',
  description:
    'The mailbox receives the messages of sites without a relay, which are delivered nowhere, and mail to postmaster ' +
    'and abuse at the installation’s domains: filter on `postmaster@` or `abuse@` and the public host. Messages are ' +
    'deleted after a week, or at the time in their header Expires.',
  query: Query({
    'filter.rcptTo': Type.Optional(Line(320)),
    'filter.start': Type.Optional(Count()),
    'filter.limit': Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  }),
  reply: Paged(MailboxMessage),
  async handle({ db, query, now }) {
    const start = query['filter.start'] ?? 0;
    const limit = query['filter.limit'] ?? 50;
    const rcptTo = query['filter.rcptTo'];
    const { totalCount, items } = await readPage(db, { rcptTo, start, limit, at: now });
    return pageOf(items, totalCount, start);
  },
});
