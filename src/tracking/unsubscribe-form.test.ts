import { describe, expect, it } from 'vitest';
import { readUnsubscribeForm } from './unsubscribe-form.ts';

const urlencoded = 'application/x-www-form-urlencoded';
// RFC 8058, 8.3, byte for byte, with the boundary parameter that it printed and that errata 5117 corrects.
const rfcType = 'multipart/form-data; boundary=---FormBoundaryjWmhtjORrn';
const rfcBody = [
  '---FormBoundaryjWmhtjORrn',
  'Content-Disposition: form-data; name="List-Unsubscribe"',
  '',
  'One-Click',
  '---FormBoundaryjWmhtjORrn--',
].join('\r\n');

describe('the unsubscription form', () => {
  it.each([
    ['RFC 8058 8.2', urlencoded, 'List-Unsubscribe=One-Click', 'oneClick'],
    ['with a charset', `${urlencoded}; charset=UTF-8`, 'List-Unsubscribe=One-Click', 'oneClick'],
    ['with a line end', urlencoded, 'List-Unsubscribe=One-Click\r\n', 'oneClick'],
    ['without a content type', '', 'List-Unsubscribe=One-Click', 'oneClick'],
    ['RFC 8058 8.3', rfcType, rfcBody, 'oneClick'],
    ['RFC 8058 8.3 with the errata', rfcType.replace('---', '-'), rfcBody, 'oneClick'],
    ['a body with bare line feeds', rfcType, rfcBody.replaceAll('\r', ''), 'oneClick'],
    ['a final line end', rfcType, `${rfcBody}\r\n`, 'oneClick'],
    ['a name without quotes', rfcType, rfcBody.replaceAll('"', ''), 'oneClick'],
    [
      'other headers in the part',
      rfcType,
      rfcBody.replace('\r\n\r\n', '\r\nContent-Type: text/plain\r\n\r\n'),
      'oneClick',
    ],
    ['our page', urlencoded, 'confirm=yes', 'page'],
    ['nothing', urlencoded, '', undefined],
    ['another value', urlencoded, 'List-Unsubscribe=Two-Clicks', undefined],
    ['another case', urlencoded, 'list-unsubscribe=one-click', undefined],
    ['only the name', urlencoded, 'List-Unsubscribe', undefined],
    ['JSON', 'application/json', '{"List-Unsubscribe":"One-Click"}', undefined],
    ['another part', rfcType, rfcBody.replace('List-Unsubscribe', 'Unsubscribe'), undefined],
    ['another value of the part', rfcType, rfcBody.replace('One-Click', 'No-Click'), undefined],
    [
      'the value in another part',
      rfcType,
      rfcBody.replace('One-Click', '\r\n---x\r\n\r\nOne-Click'),
      undefined,
    ],
  ])('%s', (_, contentType, body, expected) => {
    expect(readUnsubscribeForm(contentType, body)).toBe(expected);
  });
});
