import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';

describe('modifySendingConfiguration', () => {
  let t: TestApp;
  let id: number;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
    const made = await t.call('POST', '/sending-configurations', {
      body: {
        name: 'News',
        senderEMail: 'news@example.org',
        responseEMail: 'answers@example.org',
        footerHtml: 'F',
        deleteEmailsAfter: 30,
      },
    });
    id = (made.data as { id: number }).id;
  });
  afterAll(() => t.close());

  const modify = (body: unknown) => t.call('PUT', '/sending-configurations', { body, as: 'editor' });

  it('200 changes what is given, and says when', async () => {
    t.clock.set('2026-11-21T08:00:00Z');
    const reply = await modify({ id, headerHtml: 'H', senderEMail: 'hello@example.org' });
    expect(reply).toMatchObject({ status: 200, typeName: 'SendingConfiguration' });
    expect(reply.data).toMatchObject({
      id,
      name: 'News',
      senderEMail: 'hello@example.org',
      responseEMail: 'answers@example.org',
      headerHtml: 'H',
      footerHtml: 'F',
      deleteEmailsAfter: 30,
      creationDate: '2026-11-20T10:00:00.000Z',
      lastModifiedDate: '2026-11-21T08:00:00.000Z',
    });
  });

  it('200 a null leaves a text alone and empties deleteEmailsAfter; an empty text empties', async () => {
    expect((await modify({ id, headerHtml: null, name: null })).data).toMatchObject({
      headerHtml: 'H',
      name: 'News',
    });
    expect((await modify({ id, headerHtml: '', deleteEmailsAfter: null })).data).toMatchObject({
      headerHtml: '',
      deleteEmailsAfter: null,
    });
  });

  it('200 takes back what the list answered', async () => {
    const listed = await t.call('GET', '/sending-configurations', {
      query: { 'filter.sortBy': 'Id', 'filter.order': 'ASC' },
    });
    const { config } = (listed.data as { items: { config: { id: number } }[] }).items[0]!;
    expect((await modify(config)).data).toMatchObject({ id: config.id, name: 'News' });
  });

  it('200 of two changes at once none is lost', async () => {
    await Promise.all([
      modify({ id, headerTxt: 'a' }),
      modify({ id, footerTxt: 'b' }),
      modify({ id, unsubTxt: 'c' }),
    ]);
    expect((await modify({ id })).data).toMatchObject({ headerTxt: 'a', footerTxt: 'b', unsubTxt: 'c' });
  });

  it('404 for an unknown one', async () => {
    expect(await modify({ id: 999, name: 'a' })).toMatchObject({
      status: 404,
      error: 'Sending configuration not found',
    });
  });

  it.each([
    ['no id', { name: 'a' }, 'id: is required'],
    ['an address that is none', { senderEMail: 'x@' }, 'senderEMail: is not an email address'],
    ['a line end in an alias', { senderAlias: 'a\nb' }, 'senderAlias: holds characters'],
    ['14 days', { deleteEmailsAfter: 14 }, 'deleteEmailsAfter: must be at least 15'],
    ['a misspelt member', { nmae: 'a' }, 'nmae: unknown member'],
  ])('400 %s', async (name, body, error) => {
    const reply = await modify(name === 'no id' ? body : { id, ...body });
    expect(reply).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('403 for a reader', async () => {
    expect((await t.call('PUT', '/sending-configurations', { body: { id }, as: 'reader' })).status).toBe(403);
  });
});
