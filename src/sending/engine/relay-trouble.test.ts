import { describe, expect, it } from 'vitest';
import { SmtpError } from '../../mail/smtp-handshake.ts';
import { SmtpProtocolError } from '../../mail/smtp-reply.ts';
import { SmtpConnectionError } from '../../mail/smtp-socket.ts';
import { troubleOf } from './route-pool.ts';

const server = {
  host: 'relay.example.com',
  port: 587,
  tls: 'starttls',
  auth: { user: 'ada', password: 'hunter2' },
  clientName: 'mail.test',
} as const;
const answer = (code: number) =>
  new SmtpError({ code, enhanced: '', lines: ['AUTH PLAIN AGFkYQBodW50ZXIy hunter2 is wrong'] });

describe('the error of a relay that users see', () => {
  it.each<[Error, string]>([
    [answer(535), 'does not take the user name and the password (535)'],
    [answer(421), 'takes no connection now (421)'],
    [
      new SmtpProtocolError('The relay does not offer STARTTLS'),
      'cannot be used: The relay does not offer STARTTLS',
    ],
    [new SmtpProtocolError('Unexpected answer: 235 hunter2'), 'cannot be used: Unexpected answer'],
    [new SmtpConnectionError('self-signed certificate'), 'cannot be reached: self-signed certificate'],
  ])('%s', (error, reason) => {
    expect(troubleOf(server, error)).toBe(`relay.example.com:587 ${reason}`);
  });
});
