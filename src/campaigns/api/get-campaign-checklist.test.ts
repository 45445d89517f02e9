import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newDkimKey } from '../../accounts/sending-domain.ts';
import { createSendingDomain } from '../../accounts/sending-domain-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import type { Checklist } from '../checklist.ts';
import { campaignsOperations as operations } from '../operations.ts';

describe('getCampaignChecklist', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const checklist = (id: number) => t.call('GET', `/campaigns/${id}/checklist`, { as: 'reader' });

  it('200 ready, though no link is tracked and no spam score known', async () => {
    const id = await makeCampaign(t.db);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    const reply = await checklist(id);
    expect(reply).toMatchObject({ status: 200, typeName: 'Checklist' });
    expect(reply.data).toEqual({
      idCampaign: id,
      isCampaignReady: true,
      hasConfig: true,
      hasSubject: true,
      isTracked: false,
      hasHtml: true,
      hasUnsub: true,
      hasSpamscore: false,
      hasSendingFilter: true,
      hasSegmentNotExcluded: true,
      hasSendingsPubs: true,
      isTargetSafe: true,
      notSafeTargetIds: '',
      problems: [],
      warnings: [
        'sender domain example.com has no DKIM key; add one for it or for a parent domain (createSendingDomain)',
        expect.stringContaining('return path domain mail.test does not align with sender domain example.com'),
      ],
      findings: [
        expect.objectContaining({ code: 'no_dkim_key', isProblem: false, about: 'example.com' }),
        expect.objectContaining({ code: 'unaligned_return_path', isProblem: false, about: 'mail.test' }),
      ],
    });
  });

  it('200 with warnings by name: keys of a parent domain, a text part that cannot be made', async () => {
    const privateKey = await newDkimKey('ed25519-sha256');
    const key = { domain: 'example.com', selector: 's1', algorithm: 'ed25519-sha256', privateKey } as const;
    await createSendingDomain(t.app.control, t.app.secrets, t.db.site.id, key);
    const htmlContent = '<div hidden>[[IF FLD.1 HasValue]]</div>x[[END]]';
    const id = await makeCampaign(t.db, { htmlContent });
    await t.db.run(sql`
      update ${t.db.t.sending_configuration} set sender_email = 'news@mail.example.com'
      where id = (select max(id) from ${t.db.t.sending_configuration})`);
    const warnings = async () => ((await checklist(id)).data as Checklist).warnings;
    expect(await warnings()).toEqual([
      expect.stringContaining(
        'no text part can be made from the HTML: a part that is not shown holds only one end',
      ),
      expect.stringContaining('sender domain mail.example.com has only an Ed25519 DKIM key'),
      expect.stringContaining('return path domain mail.test'),
    ]);
    await createSendingDomain(t.app.control, t.app.secrets, t.db.site.id, {
      ...key,
      algorithm: 'rsa-sha256',
      selector: 's2',
      privateKey: await newDkimKey('rsa-sha256'),
    });
    expect(await warnings()).toHaveLength(2);
  });

  it('200 not ready, with the ids of targets that are not safe', async () => {
    const id = await makeCampaign(t.db);
    const idTarget = await makeTarget(t.db, { isSafe: false });
    await makeSegment(t.db, id, { idTarget, isExcluded: true });
    expect((await checklist(id)).data).toMatchObject({
      isCampaignReady: false,
      hasSegmentNotExcluded: false,
      isTargetSafe: false,
      notSafeTargetIds: `${idTarget}`,
      problems: ['every segment is excluded', expect.stringContaining(`notSafeTargetIds: ${idTarget}`)],
    });
  });

  it('200 with what it takes from its template, while that is one', async () => {
    const parameters = { name: 'Layout', subject: 'Hello [[FOO]]', mode: 'Dynamic' as const };
    const idCampDynamic = await makeCampaign(t.db, { parameters });
    const own = { parameters: { name: 'Spring', subject: '' }, htmlContent: '', idCampDynamic };
    const id = await makeCampaign(t.db, own);
    await makeSegment(t.db, id, { idTarget: await makeTarget(t.db) });
    expect((await checklist(id)).data).toMatchObject({
      hasHtml: true,
      hasSubject: false,
      problems: [expect.stringContaining('[[FOO]]')],
    });
    const change = (body: object) => t.call('PUT', '/campaigns', { body: { id: idCampDynamic, ...body } });
    expect((await change({ parameters: { subject: 'Hello' } })).status).toBe(200);
    expect((await checklist(id)).data).toMatchObject({ isCampaignReady: true, problems: [] });
    expect((await change({ parameters: { mode: 'Simple' } })).status).toBe(200);
    expect((await checklist(id)).data).toMatchObject({
      isCampaignReady: false,
      hasHtml: false,
      hasSubject: false,
      problems: [
        `idCampDynamic: campaign ${idCampDynamic} is not of mode Dynamic`,
        'no subject',
        'no HTML content',
      ],
    });
  });

  it('404 for an unknown campaign', async () => {
    expect(await checklist(999)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });
});
