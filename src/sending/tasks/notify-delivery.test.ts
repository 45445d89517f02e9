import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { updateUser } from '../../accounts/user-store.ts';
import { bounceClasses } from '../../activity/bounce.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { makeBounce } from '../../testing/make-activity.ts';
import { makeJob, makeReceipts } from '../../testing/make-sent.ts';
import { type SmtpSink, smtpSink } from '../../testing/smtp-sink.ts';
import { finishJob } from '../engine/finish.ts';
import { notifyDelivery } from './notify-delivery.ts';

let t: TestApp;
let sink: SmtpSink;
beforeAll(async () => {
  sink = await smtpSink({ keepRaw: true });
  t = await testApp({ config: { smtpUrl: `smtp://127.0.0.1:${sink.port}` } });
});
afterEach(() => {
  sink.messages.length = 0;
});
afterAll(() => Promise.all([t.close(), sink.close()]));

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const asked = { parameters: { name: 'Été', subject: 'It is here', notifyHighDelivrability: true } };

interface Outcome {
  readonly accepted?: number;
  /** Number of refusals by the relay for policy: neither sent nor bounced. */
  readonly refused?: number;
  /** Number of hard bounces, among the first accepted ones. */
  readonly hard?: number;
  readonly isTest?: boolean;
  readonly idCampaign?: number;
}

/** A job that is about to end with this outcome. */
async function sending({ accepted = 200, refused = 0, hard = 0, isTest = false, ...of }: Outcome) {
  const idCampaign = of.idCampaign ?? (await makeCampaign(t.db, asked));
  await t.db.run(sql`update ${t.db.t.campaign} set schedule_state = 'InProgress' where id = ${idCampaign}`);
  const { idJob, idsSent } = await makeJob(t.db, { idCampaign, isTest, state: 'Sending' });
  const people = { accepted: range(1, accepted), refused: range(accepted + 1, accepted + refused) };
  await makeReceipts(t.db, idJob, idsSent[0]!, { ...people, at: t.clock.now() });
  for (const idSubscriber of range(1, hard))
    await makeBounce(t.db, idsSent[0]!, idSubscriber, bounceClasses.hard);
  return { idCampaign, idJob };
}

const tell = (idJob: number) =>
  notifyDelivery.run(t.app, { idSite: t.db.site.id, idJob }, new AbortController().signal);
const end = (idJob: number) => finishJob(t.db, idJob, t.clock.now());
const waiting = (idJob: number) =>
  t.db.rows<{ runAt: Date }>(sql`
    select j.run_at as "runAt"
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = ${notifyDelivery.name} and (j.payload ->> 'idJob')::int = ${idJob}`);
async function change(id: number, parameters: object): Promise<void> {
  const reply = await t.call('PUT', '/campaigns', { body: { id, parameters } });
  expect([reply.status, reply.error]).toEqual([200, null]);
}

describe('the end of a job', () => {
  it('has it looked at 24 hours later, once, though several processes end it', async () => {
    const { idJob } = await sending({});
    const ends = await Promise.all([end(idJob), end(idJob), end(idJob)]);
    expect(ends.filter(Boolean)).toHaveLength(1);
    expect(await waiting(idJob)).toEqual([{ runAt: new Date('2026-11-21T10:00:00Z') }]);
  });

  it('has it looked at in the transaction that ends it: both, or neither', async () => {
    const { idJob } = await sending({});
    const broken = t.db.transaction(async (tx) => {
      expect(await finishJob(tx, idJob, t.clock.now())).toBe(true);
      throw new Error('killed');
    });
    await expect(broken).rejects.toThrow('killed');
    expect(await waiting(idJob)).toEqual([]);
    expect(await end(idJob)).toBe(true);
    expect(await waiting(idJob)).toHaveLength(1);
  });

  it('is not notified of test mailings, or of campaigns that do not request it', async () => {
    const test = await sending({ isTest: true });
    const plain = await sending({ idCampaign: await makeCampaign(t.db) });
    for (const { idJob } of [test, plain]) {
      expect(await end(idJob)).toBe(true);
      expect(await waiting(idJob)).toEqual([]);
    }
  });
});

describe('the author of a campaign', () => {
  it('is notified with the figures when 98 % of the attempted recipients have the message', async () => {
    const { idJob, idCampaign } = await sending({ accepted: 199, refused: 1, hard: 3 });
    await end(idJob);
    await tell(idJob);
    expect(sink.messages).toHaveLength(1);
    const { to, raw } = sink.messages[0]!;
    expect(to).toBe('ada@facteur.test');
    const text = raw!.toString().replaceAll('=\r\n', '');
    expect(text).toMatch(/^Subject: =\?UTF-8\?/m);
    expect(text).toContain(`Campaign ${idCampaign} of demo, =C3=89t=C3=A9: 98 %`);
    expect(text).toContain('Recipients who were written to: 200\r\nSent: 199\r\nDelivered: 196\r\n');
    expect(text).toContain('Bounces: 3 hard, 0 soft, 0 DNS, 0 spam');
  });

  it('is notified with the same Message-ID by a task that is repeated after a kill', async () => {
    const { idJob } = await sending({});
    await end(idJob);
    await tell(idJob);
    await tell(idJob);
    const ids = sink.messages.map(({ messageId }) => messageId);
    const id = `delivery-${t.db.site.id}-${idJob}@mail.test`;
    expect(ids).toEqual([id, id]);
  });

  it.each<[string, Outcome]>([
    ['too many bounces', { hard: 5 }],
    ['a relay that refused many for policy', { accepted: 100, refused: 900 }],
    ['fewer than a hundred', { accepted: 99 }],
    ['nobody', { accepted: 0 }],
  ])('is not told of %s', async (_what, outcome) => {
    const { idJob } = await sending(outcome);
    await end(idJob);
    await tell(idJob);
    expect(sink.messages).toEqual([]);
  });

  it('is not notified once the mark is removed, when they are deleted or disabled, or without a job', async () => {
    const unmarked = await sending({});
    await end(unmarked.idJob);
    await change(unmarked.idCampaign, { notifyHighDelivrability: false });
    await tell(unmarked.idJob);
    const orphan = await sending({});
    await end(orphan.idJob);
    await updateUser(t.app.control, 1, { isDisabled: true });
    await tell(orphan.idJob);
    await updateUser(t.app.control, 1, { isDisabled: false });
    await t.db.run(sql`update ${t.db.t.campaign} set id_user = 999 where id = ${orphan.idCampaign}`);
    await tell(orphan.idJob);
    await tell(999_999);
    await notifyDelivery.run(t.app, { idSite: 999_999, idJob: 1 }, new AbortController().signal);
    expect(sink.messages).toEqual([]);
  });

  it('is notified later when the relay is unavailable: the task fails and is retried', async () => {
    const { idJob } = await sending({});
    await end(idJob);
    const away = { ...t.app, config: { ...t.app.config, smtpUrl: 'smtp://127.0.0.1:1' } };
    const payload = { idSite: t.db.site.id, idJob };
    await expect(notifyDelivery.run(away, payload, new AbortController().signal)).rejects.toThrow();
    await tell(idJob);
    expect(sink.messages).toHaveLength(1);
  });
});
