import { describe, expect, it } from 'vitest';
import { bounceClasses } from './bounce.ts';
import { classifyMailbox, refusalEvidence } from './bounce-rules.ts';

const isHard = (text: string) => {
  const enhanced = /^\d{3}[ -](\d\.\d+\.\d+)/.exec(text)?.[1] ?? '';
  return classifyMailbox(refusalEvidence({ enhanced, text })) === bounceClasses.hard;
};

describe('a recipient that a relay refuses', () => {
  it.each([
    '550 5.1.1 no such user',
    '550 5.1.1 <a@b.fr>: Recipient address rejected: User unknown in virtual mailbox table',
    '550 5.1.1 <a@b.fr>: Recipient address rejected: User unknown in relay recipient table',
    '550 5.1.1 <spam.policy@sender.fr>: Recipient address rejected: User unknown',
    '550 5.1.1 The email account that you tried to reach does not exist. Please try 5.1.1 double-checking',
    '550 5.2.1 The email account that you tried to reach is disabled',
    '550 5.1.1 mailbox unavailable',
    '550 No such user here',
    '550 Unknown user',
    '550 a@b.fr user unknown',
    '554 5.1.6 Mailbox has moved',
    '552 1 Requested mail action aborted, mailbox not found',
    '550 Utilisateur inconnu',
    '550 5.4.1 Recipient address rejected: Access denied',
    '550 Requested action not taken: mailbox unavailable',
  ])('“%s” is a hard bounce', (text) => {
    expect(isHard(text)).toBe(true);
  });

  it.each([
    // Quota.
    '552 5.2.2 mailbox full',
    '552 5.2.2 The recipient is over quota',
    '552 Requested mail action aborted: exceeded storage allocation',
    '550 user unknown or mailbox is full',
    '552 5.2.3 message too long for this mailbox',
    // Policy, spam, content.
    '550 5.7.1 not wanted',
    '550 5.7.1 user unknown',
    '550 5.7.26 unauthenticated mail',
    '554 5.7.1 <a@b.fr>: Recipient address rejected: Access denied',
    '550 blocked using zen.dnsbl.test',
    '550 5.1.1 rejected: listed as a source of spam, no such user for you',
    '550 5.6.0 bad content',
    // The sender and the connection.
    '550 5.1.8 Domain of sender address does not exist',
    '550 5.1.7 bad sender',
    '550 5.1.0 sender rejected',
    '550 5.1.1 Sender address rejected: user unknown',
    '554 Relay access denied',
    '550 relaying to <a@b.fr> prohibited by administrator',
    '550 unable to relay for a@b.fr',
    '550 5.5.1 protocol error',
    '530 5.7.0 authentication required',
    '550 5.2.1 The user is receiving mail at a rate that prevents additional messages',
    '550 too many recipients, user unknown',
    // The network, and what says nothing.
    '550 5.1.2 no such domain',
    '550 unknown.user@b.fr is not wanted',
    '550 go away',
    '551 User not local',
    '550',
  ])('“%s” is not a hard bounce', (text) => {
    expect(isHard(text)).toBe(false);
  });
});
