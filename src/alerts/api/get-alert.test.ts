import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeAlert } from '../../testing/make-alert.ts';
import { alertsOperations } from '../operations.ts';

describe('getAlert', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: alertsOperations });
  });
  afterAll(() => t.close());

  it('200 with all figures', async () => {
    const id = await makeAlert(t);
    expect(await t.call('GET', `/alerts/${id}`, { as: 'reader' })).toMatchObject({
      status: 200,
      data: {
        idSendingGroupRemoval: id,
        groupName: 'news.example.com',
        faiName: 'Gmail',
        nbComplaints: 20,
        complaintRate: 1,
        siteName: 'demo',
        alertDate: t.clock.now().toISOString(),
        engagementDate: null,
        engagementEmail: null,
        scheduledActivationDate: null,
        level: 3,
        nbHours: 24,
        nbSent: 2000,
        isSuspended: true,
        endDate: null,
      },
    });
  });

  it('404 for an unknown alert and one of another site', async () => {
    const foreign = await makeAlert(t, { idSite: t.otherDb.site.id });
    for (const id of [randomUUID(), foreign])
      expect(await t.call('GET', `/alerts/${id}`)).toMatchObject({ status: 404, error: 'Alert not found' });
  });

  it('400 for what is no id', async () => {
    expect(await t.call('GET', '/alerts/7')).toMatchObject({
      status: 400,
      error: expect.stringContaining('id'),
    });
  });
});
