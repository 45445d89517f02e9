import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeAlert } from '../../testing/make-alert.ts';
import { alertsOperations } from '../operations.ts';

describe('unlockAlert', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: alertsOperations });
  });
  afterAll(() => t.close());
  const unlock = (id: string) => t.call('POST', `/alerts/${id}/unlock`, { as: 'sender' });

  it('200 notes who unlocked it and when; sending resumes an hour later; a second call changes nothing', async () => {
    const id = await makeAlert(t);
    const at = t.clock.now();
    const first = await unlock(id);
    expect(first).toMatchObject({
      status: 200,
      data: {
        isSuspended: true,
        engagementDate: at.toISOString(),
        engagementEmail: expect.stringMatching(/^\S+@\S+$/),
        scheduledActivationDate: new Date(at.getTime() + 3_600_000).toISOString(),
      },
    });
    t.clock.advance(3_599_000);
    expect((await unlock(id)).data).toEqual(first.data);
    t.clock.advance(1_000);
    expect((await unlock(id)).data).toEqual({ ...(first.data as object), isSuspended: false });
  });

  it('404 for an unknown alert and one of another site, which stays locked', async () => {
    const foreign = await makeAlert(t, { idSite: t.otherDb.site.id });
    for (const id of [randomUUID(), foreign])
      expect(await unlock(id)).toMatchObject({ status: 404, error: 'Alert not found' });
    const locked = sql`select from facteur.alert where id = ${foreign}::uuid and engaged_at is null`;
    expect(await t.app.control.rows(locked)).toHaveLength(1);
  });

  it('409 for an alert that ends automatically, and one that has ended', async () => {
    const low = await makeAlert(t, { level: 2, senderDomain: 'two.example' });
    expect(await unlock(low)).toMatchObject({ status: 409, error: expect.stringContaining('level 2') });
    const over = await makeAlert(t, { senderDomain: 'over.example' });
    await t.app.control.run(sql`update facteur.alert set ended_at = now() where id = ${over}::uuid`);
    expect(await unlock(over)).toMatchObject({ status: 409, error: 'The alert has ended' });
  });
});
