import { randomUUID } from 'node:crypto';
import { singleFactsWith } from '../../campaigns/readiness.ts';
import type { App } from '../../platform/app.ts';
import type { SiteDb } from '../../platform/db/site-db.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { Refusal, refused } from '../../platform/http/refusal.ts';
import { Type } from '../../platform/http/schema.ts';
import {
  attachmentsOf,
  dataOf,
  digestOf,
  hasOwnMessage,
  SingleSend,
  withOverrides,
} from '../single-message.ts';
import { findByKey, type NewSend, type RepeatKey } from '../single-message-store.ts';
import {
  checkMessage,
  checkNeeds,
  needsOf,
  readerOf,
  type SingleVersion,
  singlesOf,
} from '../single-versions.ts';

export const sendCampaignToSubscriber = siteOperation({
  id: 'sendCampaignToSubscriber',
  method: 'POST',
  path: '/campaigns/send-to-subscriber',
  right: 'send',
  unaudited: 'bulk',
  tag: 'Campaigns',
  summary: 'Send a campaign email to one subscriber',
  description:
    'Sends a Simple or Dynamic campaign to one subscriber at once. Returns the id of the message, by which ' +
    '`getSingleMessage` reports the outcome. The message is made of the campaign as it is now, so later changes do ' +
    'not reach it. Properties that are empty or omitted fall back to the campaign. Unsubscribed subscribers get ' +
    'messages of campaigns of type Transac only; subscribers whose mailbox does not exist, or who have complained, ' +
    'get none (422). A message that shows a field not listed in `idFields`, or data not given in `emailData`, is ' +
    'rejected (422). To repeat a call safely, send the header `Idempotency-Key`.',
  body: SingleSend,
  bodyMegabytes: 20,
  atOnce: 8,
  limitsLargeBodies: true,
  isRepeatable: true,
  reply: Type.String({ title: 'String', format: 'uuid', description: 'The id of the message' }),
  refusals: [404, 409, 413, 422],
  handle: async ({ db, app, body, idempotencyKey, now }) => {
    const key = idempotencyKey === undefined ? undefined : { key: idempotencyKey, digest: digestOf(body) };
    try {
      const send = { ...(await sendOf(app, db, body, now)), key };
      if (await singlesOf(app).add(db, send)) return send.guid;
    } catch (error) {
      // A repeated call has its first response, even if the message could no longer be sent.
      const before = error instanceof Refusal && key && (await madeBefore(db, key));
      if (before) return before;
      throw error;
    }
    const first = key && (await madeBefore(db, key));
    if (first === undefined) throw new Error('A message was not stored, although nothing is in its way');
    return first;
  },
});

/** The message that a call requests. @throws 400, 404, 413, 422 */
async function sendOf(app: App, db: SiteDb, body: SingleSend, at: Date): Promise<Omit<NewSend, 'key'>> {
  const data = dataOf(body);
  const attachments = attachmentsOf(body);
  const version = await singlesOf(app).versionOf(db, body.campaignId, at);
  const idSubscriber = await readerOf(db, body, version);
  const frozen = await ownMessageOf(db, version, body);
  checkNeeds(frozen ? needsOf(frozen, version.idSent) : version.needs, body, data);
  const { idSent, isTransactional } = version;
  const clickTracker = body.customClicTracker ?? '';
  return {
    guid: randomUUID(),
    idSent,
    idSubscriber,
    isTransactional,
    data,
    clickTracker,
    frozen,
    attachments,
    at,
  };
}

/** The message that a call with this key has made. @throws 422 when that call had another body */
async function madeBefore(db: SiteDb, { key, digest }: RepeatKey): Promise<string | undefined> {
  const known = await findByKey(db, key);
  if (known && known.digest !== digest)
    throw refused('Idempotency-Key: was used for a call with another body; use a new key for a new message');
  return known?.guid;
}

async function ownMessageOf(db: SiteDb, { facts, freeze }: SingleVersion, body: SingleSend) {
  if (!hasOwnMessage(body)) return undefined;
  const own = await singleFactsWith(db, facts, withOverrides(facts.written, body));
  checkMessage(own);
  return freeze(own);
}
