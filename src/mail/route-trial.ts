import { randomBytes } from 'node:crypto';
import type { Route } from '../accounts/route.ts';
import { dkimKeysFor } from '../accounts/sending-domain-store.ts';
import type { App } from '../platform/app.ts';
import { domainOf } from '../platform/email-address.ts';
import { Bool, Closed, Int32, Nullable, OneOf, type Static, Type } from '../platform/http/schema.ts';
import { dkimKey, signMessage } from './dkim-sign.ts';
import { addressHeader, textHeader } from './header-text.ts';
import { type SmtpTimeouts, standardTimeouts } from './outcome.ts';
import { clientNameOf, serverOf } from './relay-server.ts';
import { SmtpConnection } from './smtp-connection.ts';
import { SmtpError } from './smtp-handshake.ts';
import { type SmtpStep, smtpSteps } from './smtp-server.ts';

/** Maximum time of a trial in milliseconds, shorter than browsers and proxies wait. */
const trialMs = 20_000;

export const RouteTrialSchema = Closed('RouteTrial', {
  isAccepted: Bool('Whether the relay accepted the message'),
  isEncrypted: Bool('Whether TLS was established'),
  isSignedIn: Bool('Whether the relay accepted the user name and the password'),
  failedStep: Nullable(OneOf(smtpSteps, 'The step that failed; null if none did')),
  code: Nullable(Int32('The SMTP code of the relay’s last reply; null if the failure is not a reply')),
  text: Type.String({
    description:
      'The last reply in the relay’s own words, or why there is none. Words that repeat the password are withheld',
  }),
});
export type RouteTrial = Static<typeof RouteTrialSchema>;

/** The addresses of a trial's message. */
interface Trial {
  readonly from: string;
  readonly to: string;
  readonly idSite: number;
  readonly at: Date;
}

/**
 * Sends one message through a route and returns what its relay replied. Never throws for what a relay does.
 * @param limitMs maximum time of all steps together
 */
export async function tryRoute(app: App, route: Route, trial: Trial, limitMs = trialMs): Promise<RouteTrial> {
  const begun: SmtpStep[] = [];
  const server = {
    ...serverOf(app, route),
    timeouts: remainingUntil(performance.now() + limitMs),
    onStep: (step: SmtpStep) => begun.push(step),
  };
  const result = (text: string, code: number | null, isAccepted = false): RouteTrial => {
    const failedStep = isAccepted ? null : begun.at(-1)!;
    const isPast = (step: SmtpStep) =>
      begun.includes(step) && (isAccepted || smtpSteps.indexOf(failedStep!) > smtpSteps.indexOf(step));
    const shown = withholding(text, code, route);
    const passed = { isEncrypted: isPast('tls'), isSignedIn: isPast('signIn') };
    return { isAccepted, ...passed, failedStep, code, text: shown };
  };
  const pieces = await messageOf(app, trial);
  let failure: Error | undefined;
  try {
    const connection = await SmtpConnection.open(server);
    connection.onFailure((error) => {
      failure = error;
    });
    // Bounces of a trial are nobody's: notices have the same return path.
    const envelope = { from: `facteur@${clientNameOf(app)}`, to: trial.to };
    const outcome = await connection.deliver(envelope, pieces, async () => undefined);
    connection.close();
    if ('code' in outcome) return result(outcome.text, outcome.code, outcome.kind === 'accepted');
    return result(outcome.text, failure instanceof SmtpError ? failure.code : null);
  } catch (error) {
    return result((error as Error).message.slice(0, 300), error instanceof SmtpError ? error.code : null);
  }
}

/** Limits of all steps that end together, however slowly a relay goes through them. */
function remainingUntil(end: number): SmtpTimeouts {
  const get = () => Math.max(1, Math.round((end - performance.now()) / 100) * 100);
  const limits = { ...standardTimeouts };
  for (const step of Object.keys(limits)) Object.defineProperty(limits, step, { get });
  return limits;
}

/** Length of the parts of a password that a text must not have. */
const partLength = 5;

/** The relay's words, unless they repeat a part of the password in any form in which the relay received it. */
function withholding(text: string, code: number | null, { username, password }: Route): string {
  if (!password) return text;
  const base64 = (value: string) => Buffer.from(value, 'utf8').toString('base64').replace(/=+$/, '');
  const forms = [password, base64(password), base64(`\0${username ?? ''}\0${password}`)];
  const seen = text.toLowerCase();
  const isRepeated = forms.some((form) => {
    const length = Math.min(partLength, form.length);
    return Array.from({ length: form.length - length + 1 }, (_, at) => form.slice(at, at + length)).some(
      (part) => seen.includes(part.toLowerCase()),
    );
  });
  if (!isRepeated) return text;
  return `${code === null ? '' : `${code} `}(the words are withheld: they may repeat the password)`;
}

const body = [
  'This message tests a relay of Facteur.',
  '',
  'If you did not request it, you can ignore it: no list contains your address because of it.',
  '',
].join('\r\n');

/** The message of a trial: plain text, signed as messages from its sender are. */
async function messageOf(app: App, { from, to, idSite, at }: Trial): Promise<Buffer[]> {
  const headers = Buffer.from(
    [
      `Date: ${at.toUTCString().replace('GMT', '+0000')}\r\n`,
      addressHeader('From', 'Facteur', from),
      addressHeader('To', '', to),
      textHeader('Subject', 'Facteur: test message of a relay'),
      `Message-ID: <relay-test-${randomBytes(12).toString('hex')}@${clientNameOf(app)}>\r\n`,
      'Auto-Submitted: auto-generated\r\n',
      'MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 7bit\r\n',
    ].join(''),
  );
  const content = Buffer.from(body);
  const keys = await dkimKeysFor(app.control, app.secrets, idSite, domainOf(from));
  const parsed = keys.map((key) => dkimKey(key.domain, key.selector, key.algorithm, key.privateKey));
  const signatures = await signMessage(headers, content, parsed, at);
  return [...signatures, headers, Buffer.from('\r\n'), content];
}
