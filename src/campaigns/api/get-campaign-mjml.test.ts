import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign } from '../../testing/campaign-makers.ts';
import { campaignsOperations as operations } from '../operations.ts';

const mjml = '<mjml><mj-body></mj-body></mjml>';

describe('getCampaignMjml', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations });
  });
  afterAll(() => t.close());

  const read = (id: number) => t.call('GET', `/campaigns/${id}/mjml`, { as: 'reader' });
  const modify = async (id: number, change: object) =>
    expect((await t.call('PUT', '/campaigns', { body: { id, parameters: {}, ...change } })).status).toBe(200);
  const made = async () => {
    const id = await makeCampaign(t.db, { htmlContent: 'typed' });
    await t.call('PUT', `/campaigns/${id}/mjml`, { body: { mjml, htmlContent: '<p>é</p>' } });
    return id;
  };

  it('200 empty for a campaign without any', async () => {
    expect(await read(await makeCampaign(t.db))).toMatchObject({
      ...{ status: 200, typeName: 'CampaignMjml' },
      data: { mjml: '', isCurrent: false },
    });
  });

  it('200 current until the HTML is another one, and again when it is the same', async () => {
    const id = await made();
    expect((await read(id)).data).toEqual({ mjml, isCurrent: true });
    await modify(id, { parameters: { subject: 'New' }, textContent: 'New' });
    expect((await read(id)).data).toEqual({ mjml, isCurrent: true });
    await modify(id, { htmlContent: '<p>é </p>' });
    expect((await read(id)).data).toEqual({ mjml, isCurrent: false });
    const fields = { idCampaign: id, fields: { msgHtml: '<p>é</p>' } };
    expect((await t.call('PUT', '/campaigns/fields', { body: fields })).status).toBe(200);
    expect((await read(id)).data).toEqual({ mjml, isCurrent: true });
  });

  it('has the version of the campaign', async () => {
    const id = await made();
    const version = ({ headers }: { headers: Record<string, unknown> }) => String(headers.etag).split('.')[0];
    expect(version(await read(id))).toBe(version(await t.call('GET', `/campaigns/${id}`)));
  });

  it('is deleted with its campaign', async () => {
    const id = await made();
    await t.db.run(sql`delete from ${t.db.t.campaign} where id = ${id}`);
    expect(await t.db.rows(sql`select from ${t.db.t.campaign_mjml} where id_campaign = ${id}`)).toEqual([]);
  });

  it('404 for an unknown campaign', async () => {
    expect(await read(999)).toMatchObject({ status: 404, error: 'Campaign not found' });
  });
});
