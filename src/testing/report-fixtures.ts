import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { bounceClasses } from '../activity/bounce.ts';

const folder = join(import.meta.dirname, '../bounces/fixtures');

/** Names of the classes, as the fixtures use them; `none` is no bounce. */
export const classNames = {
  hard: bounceClasses.hard,
  soft: bounceClasses.soft,
  'auto-reply': bounceClasses.autoReply,
  dns: bounceClasses.dns,
  spam: bounceClasses.spam,
  complaint: bounceClasses.complaint,
  none: null,
} as const;
export type ClassName = keyof typeof classNames;

/** A message in the form of one provider or program, and the class that it must be counted as. */
export interface ReportFixture {
  readonly name: string;
  readonly expected: ClassName;
  /** The message with `{{…}}` where it names addresses of ours; its `Return-Path` is the envelope's sender. */
  readonly text: string;
}

/** Returns the fixtures of `src/bounces/fixtures`, where the folder of each names its class. */
export function reportFixtures(): ReportFixture[] {
  return (Object.keys(classNames) as ClassName[]).flatMap((expected) =>
    readdirSync(join(folder, expected)).map((file) => ({
      name: file.replace(/\.eml$/, ''),
      expected,
      text: readFileSync(join(folder, expected, file), 'utf8'),
    })),
  );
}

/** A server's reply, its class, and whether it is a bounce at RCPT as well. */
export interface ReplyFixture {
  readonly expected: ClassName;
  readonly isBounceAtRcpt: boolean;
  readonly reply: string;
}

/** Returns the replies of `src/bounces/fixtures/replies.tsv`. */
export function replyFixtures(): ReplyFixture[] {
  const lines = readFileSync(join(folder, 'replies.tsv'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [expected, atRcpt, reply] = line.split('\t') as [ClassName, 'bounce' | 'none', string];
    return { expected, isBounceAtRcpt: atRcpt === 'bounce', reply };
  });
}
