import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../testing/app.ts';
import { contentsOperations } from '../operations.ts';

const least = { name: 'News', senderEMail: 'news@example.org', responseEMail: 'answers@example.org' };

describe('createSendingConfiguration', () => {
  let t: TestApp;
  beforeAll(async () => {
    t = await testApp({ operations: contentsOperations });
  });
  afterAll(() => t.close());

  const create = (body: unknown) => t.call('POST', '/sending-configurations', { body, as: 'editor' });

  it('200 answers the configuration, empty where nothing was said', async () => {
    const reply = await create(least);
    expect(reply).toMatchObject({ status: 200, typeName: 'SendingConfiguration' });
    expect(reply.data).toEqual({
      id: 1,
      idUser: expect.any(Number),
      creationDate: '2026-11-20T10:00:00.000Z',
      lastModifiedDate: '2026-11-20T10:00:00.000Z',
      ...least,
      senderAlias: '',
      recipientAlias: '',
      responseAlias: '',
      headerHtml: '',
      headerTxt: '',
      footerHtml: '',
      footerTxt: '',
      unsubHtml: '',
      unsubTxt: '',
      objectPrefixBAT: '',
      senderAliasPrefixBAT: '',
      pageLanguage: '',
      pageColor: '',
      pageLogo: '',
      deleteEmailsAfter: null,
      isArchive: false,
    });
  });

  it('200 keeps everything that is said, and ignores what the service itself says', async () => {
    const full = {
      ...least,
      senderAlias: 'Café [[FLD.101]]',
      recipientAlias: '[[FLD.101|vous]]',
      responseAlias: 'Répondre',
      headerHtml: '<p>é</p>\r\n',
      headerTxt: 'a\nb',
      footerHtml: '<a href="[[LINK.UNSUB]]">x</a>',
      footerTxt: '[[LINK.UNSUB]]',
      unsubHtml: 'u',
      unsubTxt: 'v',
      objectPrefixBAT: 'x'.repeat(50),
      senderAliasPrefixBAT: 'y'.repeat(50),
      pageLanguage: 'de',
      pageColor: '#a1B2c3',
      pageLogo: 'https://shop.example/logo.png?v=1',
      deleteEmailsAfter: 15,
      isArchive: true,
    };
    const ignored = { id: 7, idUser: 99, creationDate: '2000-01-01T00:00:00Z', lastModifiedDate: null };
    expect((await create({ ...full, ...ignored })).data).toEqual({
      ...full,
      id: 2,
      idUser: expect.not.closeTo(99),
      creationDate: '2026-11-20T10:00:00.000Z',
      lastModifiedDate: '2026-11-20T10:00:00.000Z',
    });
  });

  it('200 keeps addresses in their normal form', async () => {
    const reply = await create({ ...least, senderEMail: ' News@ÉLÈVE.fr ' });
    expect(reply.data).toMatchObject({ senderEMail: 'News@xn--lve-6lad.fr' });
  });

  it.each([
    ['no name', { ...least, name: undefined }, 'name: is required'],
    ['a colour by name', { ...least, pageColor: 'red' }, 'pageColor: '],
    ['a logo that is a script', { ...least, pageLogo: 'javascript:alert(1)' }, 'pageLogo: '],
    ['a logo with a quote', { ...least, pageLogo: 'https://a.example/"x' }, 'pageLogo: '],
    ['another language', { ...least, pageLanguage: 'nl' }, 'pageLanguage: '],
    ['no sender', { ...least, senderEMail: undefined }, 'senderEMail: is required'],
    ['no answer address', { ...least, responseEMail: undefined }, 'responseEMail: is required'],
    ['an empty name', { ...least, name: '' }, 'name: '],
    [
      'a sender that is no address',
      { ...least, senderEMail: 'news' },
      'senderEMail: is not an email address',
    ],
    [
      'an answer address with a name',
      { ...least, responseEMail: 'a <a@b.fr>' },
      'responseEMail: is not an email',
    ],
    [
      'a line end in an address',
      { ...least, senderEMail: 'a@b.fr\r\nBcc: x' },
      'senderEMail: holds characters',
    ],
    ['a line end in an alias', { ...least, senderAlias: 'a\r\nBcc: x' }, 'senderAlias: holds characters'],
    [
      'a line separator in an alias',
      { ...least, recipientAlias: 'a\u2028b' },
      'recipientAlias: holds characters',
    ],
    ['NUL in a footer', { ...least, footerHtml: 'a\0' }, 'footerHtml: holds characters'],
    [
      'a prefix of 51 characters',
      { ...least, objectPrefixBAT: 'x'.repeat(51) },
      'objectPrefixBAT: must have at most 50',
    ],
    [
      'an alias prefix of 51',
      { ...least, senderAliasPrefixBAT: 'x'.repeat(51) },
      'senderAliasPrefixBAT: must have at most',
    ],
    ['14 days', { ...least, deleteEmailsAfter: 14 }, 'deleteEmailsAfter: must be at least 15'],
    ['a misspelt member', { ...least, senderEmail: 'a@b.fr' }, 'senderEmail: unknown member'],
  ])('400 %s', async (_, body, error) => {
    expect(await create(body)).toMatchObject({ status: 400, error: expect.stringContaining(error) });
  });

  it('403 for a reader', async () => {
    expect((await t.call('POST', '/sending-configurations', { body: least, as: 'reader' })).status).toBe(403);
  });
});
