import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import type { Checklist } from '../checklist.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('checkDraft', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations });
    id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
  });
  afterAll(() => t.close());

  const check = (body: object, of = id) =>
    t.call('POST', `/campaigns/${of}/checklist`, { body, as: 'reader' });
  const stored = async () => (await t.call('GET', `/campaigns/${id}`)).data;

  it('200 with what the contents of the body would miss, and stores nothing', async () => {
    const before = await stored();
    const htmlContent = '<p>Hello\r\n  [[FLD.118]] and [[NAME]]</p>';
    const reply = await check({ htmlContent, subject: '[[IF FLD.1 HasValue]]', preheader: 'b [[X]]' });
    expect(reply).toMatchObject({ status: 200, typeName: 'Checklist' });
    const { isCampaignReady, hasHtml, hasSubject, findings, problems } = reply.data as Checklist;
    expect([isCampaignReady, hasHtml, hasSubject]).toEqual([false, false, false]);
    expect(findings.filter(({ isProblem }) => isProblem).map(({ text }) => text)).toEqual(problems);
    const placed = findings.flatMap(({ code, part, line, column, about }) =>
      part === null ? [] : [{ code, part, line, column, about }],
    );
    expect(placed).toEqual(
      expect.arrayContaining([
        { code: 'unknown_field', part: 'htmlContent', line: 2, column: 3, about: '[[FLD.118]]' },
        { code: 'unknown_tag', part: 'htmlContent', line: 2, column: 19, about: '[[NAME]]' },
        { code: 'no_end', part: 'subject', line: 1, column: 1, about: '[[IF FLD.1 HasValue]]' },
        { code: 'unknown_tag', part: 'preheader', line: 1, column: 3, about: '[[X]]' },
      ]),
    );
    expect(await stored()).toEqual(before);
  });

  it('200 as the stored checklist for an empty body, except for the filters of targets', async () => {
    expect((await check({})).data).toEqual((await t.call('GET', `/campaigns/${id}/checklist`)).data);
  });

  it('200 for another sending configuration, and for none', async () => {
    const idConfiguration = await makeConfiguration(t.db, '<p>No link</p>');
    expect((await check({ idConfiguration })).data).toMatchObject({ hasConfig: true, hasUnsub: false });
    expect((await check({ idConfiguration: 0 })).data).toMatchObject({ hasConfig: false });
    expect((await check({ idConfiguration: null })).data).toMatchObject({ hasConfig: true });
  });

  it('404 for an unknown campaign or configuration', async () => {
    expect(await check({}, 999)).toMatchObject({ status: 404, error: 'Campaign not found' });
    expect(await check({ idConfiguration: 999 })).toMatchObject({
      status: 404,
      error: 'idConfiguration: Sending configuration not found',
    });
  });
});
