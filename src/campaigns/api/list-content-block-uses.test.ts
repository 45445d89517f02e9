import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepContentBlock } from '../../contents/content-block-store.ts';
import { sql } from '../../platform/db/sql.ts';
import { type TestApp, testApp } from '../../testing/app.ts';
import { makeCampaign, makeConfiguration, makeSegment, makeTarget } from '../../testing/campaign-makers.ts';
import type { ContentUses } from '../content-uses.ts';

describe('listContentBlockUses', () => {
  let t: TestApp;
  const keep = (contentKey: string, contentValue: string) =>
    keepContentBlock(t.db, { contentKey, contentValue }, new Date());
  beforeAll(async () => {
    t = await testApp();
    await keep('Été & soleil', 'x');
    await keep('a.b', 'x');
    await keepContentBlock(t.otherDb, { contentKey: 'foreign', contentValue: 'x' }, new Date());
  });
  afterAll(() => t.close());

  const uses = (contentKey: string) =>
    t.call('GET', '/content-blocks/uses', { query: { contentKey }, as: 'reader' });
  const named = (name: string) => ({ name, subject: name });

  it('200 nothing for a block that no content shows', async () => {
    // Keys are no patterns, and neither other tags nor words are uses.
    for (const htmlContent of [
      '[[BLOC.axb]]',
      '[[BLOC.a.b.c]]',
      'BLOC.a.b',
      '[[DATA.a.b.fld1]]',
      '[[BLOC.a.b',
      'BLOC.a.b|x]] [[FLD.1]]',
      '[[BLOC.a.b] ]',
    ])
      await makeCampaign(t.db, { htmlContent });
    expect(await uses('a.b')).toMatchObject({ status: 200, typeName: 'ContentUses' });
    expect((await uses('a.b')).data).toEqual({ nbUses: 0, uses: [] });
  });

  it('200 every kind of content that shows it, in each of its forms, the newest of each kind first', async () => {
    const tag = '[[BLOC.Été & soleil]]';
    const html = await makeCampaign(t.db, {
      htmlContent: '<p>[[bloc.&eacute;t&eacute;&nbsp;&amp; soleil ]]</p>',
      parameters: named('Html'),
    });
    const text = await makeCampaign(t.db, {
      textContent: `x ${tag.toUpperCase()}`,
      parameters: named('Text'),
    });
    const subject = await makeCampaign(t.db, { parameters: { name: 'Subject', subject: `Now: ${tag}` } });
    const idConfiguration = await makeConfiguration(t.db, `<p>${tag}</p>`);
    const made = await t.call('POST', '/advertisements', { body: { name: 'Pots', html: tag } });
    const { id: idAdvertisement } = made.data as { id: number };
    await keep('outer', tag);
    const idTarget = await makeTarget(t.db);
    const other = await makeCampaign(t.db);
    const ids = [await makeSegment(t.db, other, { idTarget }), await makeSegment(t.db, other, { idTarget })];
    await t.db.run(sql`update ${t.db.t.segment} set mail_object = ${tag} where id = ${ids[0]}`);
    await t.db.run(sql`
      insert into ${t.db.t.segment_advertisement} (id_segment, position, id_advertisement, name, html)
      values (${ids[1]}, 1, ${idAdvertisement}, 'Pots', ${tag})`);
    expect((await uses('été & SOLEIL')).data).toEqual({
      nbUses: 8,
      uses: [
        { kind: 'Campaign', id: subject, name: 'Subject', idCampaign: subject },
        { kind: 'Campaign', id: text, name: 'Text', idCampaign: text },
        { kind: 'Campaign', id: html, name: 'Html', idCampaign: html },
        { kind: 'Advertisement', id: idAdvertisement, name: 'Pots', idCampaign: null },
        { kind: 'Segment', id: ids[1], name: expect.any(String), idCampaign: other },
        { kind: 'Segment', id: ids[0], name: expect.any(String), idCampaign: other },
        { kind: 'SendingConfiguration', id: idConfiguration, name: 'News', idCampaign: null },
        { kind: 'ContentBlock', id: null, name: 'outer', idCampaign: null },
      ],
    });
  });

  it.each([
    ['behind many spaces', `[[${' '.repeat(17)}\u00A0\nBLOC.odd]]`],
    ['in brackets', '[[[BLOC.odd]]]'],
    ['inside of an open tag', '[[FLD.1 [[Bloc.odd|x]]'],
    ['behind a tag of its kind', '[[BLOC.other]][[BLOC.odd]]'],
  ])('200 for a tag %s', async (_, htmlContent) => {
    await keep('odd', 'x');
    const id = await makeCampaign(t.db, { htmlContent });
    expect((await uses('odd')).data).toMatchObject({
      uses: expect.arrayContaining([expect.objectContaining({ id })]),
    });
  });

  it('200 at most 100 of many, all of them counted', async () => {
    await t.db.run(sql`
      insert into ${t.db.t.campaign} (id_user, author, name, parameters, html_content, created_at, updated_at)
      select 1, 'Ada', 'C' || i, '{}', '[[BLOC.a.b]]', now(), now() from generate_series(1, 150) i`);
    const { nbUses, uses: listed } = (await uses('a.b')).data as ContentUses;
    expect([nbUses, listed.length]).toEqual([150, 100]);
  });

  it.each(['none', 'foreign'])('404 for the key %s', async (key) => {
    expect(await uses(key)).toMatchObject({ status: 404, error: 'contentKey: Content block not found' });
  });
});
