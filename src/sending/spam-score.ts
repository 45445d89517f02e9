import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { connect } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { Value } from 'typebox/value';
import type { Campaign } from '../campaigns/campaign.ts';
import { checkSendable, readinessOf } from '../campaigns/readiness.ts';
import { excludedProblem, type Segment } from '../campaigns/segment.ts';
import { messageDigests } from '../campaigns/segment-messages.ts';
import { keepScores } from '../campaigns/segment-store.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import type { ListenAddress } from '../platform/http/admin-port.ts';
import { refused } from '../platform/http/refusal.ts';
import { Closed, Nullable, Reference, type Static, Type } from '../platform/http/schema.ts';
import { readAtMost } from '../platform/read-at-most.ts';
import { checkBuildable, freezeSegment, reachOf } from './freeze.ts';
import type { FrozenJob } from './frozen-job.ts';
import { JobMessages } from './job-messages.ts';
import { getReader } from './recipient-store.ts';

/** The subscriber that messages are made for. */
export const Simulated = Reference(
  'subscriber',
  'The subscriber to simulate. Default: the first one who may receive mail',
);

/** Spam scores of one segment's message. */
export const SpamScore = Closed('SpamScore', {
  score: Nullable(Type.String({ description: "SpamAssassin's score. Null: it gave none" })),
  details: Type.String({
    description: "SpamAssassin's report, and for each engine without a score the reason",
  }),
  extRetroSpamScore: Nullable(
    Type.String({ description: "Rspamd's score, the second opinion. Null: it gave none" }),
  ),
  extRetroSpamState: Nullable(
    Type.String({
      description: 'What Rspamd would do with the message, for example `no action` or `reject`',
    }),
  ),
  extRetroSpamCause: Nullable(
    Type.Array(Type.String(), {
      description:
        'The rules of Rspamd that changed its score, each with its points; those with most points first',
    }),
  ),
});
export type SpamScore = Static<typeof SpamScore>;

/** SpamAssassin's verdict on a message. */
interface SpamdVerdict {
  readonly score: number;
  /** The engine's report for people: the rules that matched, with their points. */
  readonly report: string;
}

/** Rspamd's verdict on a message. */
interface RspamdVerdict {
  readonly score: number;
  readonly action: string;
  readonly causes: readonly string[];
}

/** An engine's verdict, or in words why it gave none. */
type Opinion<V> = { readonly verdict: V } | { readonly reason: string };

/** The opinions as the API shows them. */
function showScore(spamd: Opinion<SpamdVerdict>, rspamd: Opinion<RspamdVerdict>): SpamScore {
  const one = 'verdict' in spamd ? spamd.verdict : undefined;
  const other = 'verdict' in rspamd ? rspamd.verdict : undefined;
  const reasons = [
    ...('reason' in spamd ? [`SpamAssassin gave no score: ${spamd.reason}`] : []),
    ...('reason' in rspamd ? [`Rspamd gave no score: ${rspamd.reason}`] : []),
  ];
  return {
    score: one ? String(one.score) : null,
    details: [...(one ? [one.report] : []), ...reasons].join('\n'),
    extRetroSpamScore: other ? String(other.score) : null,
    extRetroSpamState: other?.action ?? null,
    extRetroSpamCause: other ? [...other.causes] : null,
  };
}

/** Bytes that an engine's response may have: reports and lists of rules take a few thousand. */
const maxResponseBytes = 256 * 1024;

/** Why an engine gave no score, in words that users may read. */
class EngineFailure extends Error {}

const tooLong = () => new EngineFailure(`its response is larger than ${maxResponseBytes} bytes`);
const notUnderstood = () => new EngineFailure('its response is not understood');

/**
 * Requests the verdict of SpamAssassin's spamd on a message, by the request REPORT of its protocol (spamd/PROTOCOL in
 * SpamAssassin's sources). No client of it on npm is maintained.
 * @throws EngineFailure for a response that holds no score; the error of the connection; what `signal` aborts with
 */
async function askSpamd(
  { host, port }: ListenAddress,
  message: Buffer,
  signal: AbortSignal,
): Promise<SpamdVerdict> {
  const socket = addAbortSignal(signal, connect({ host, port }));
  try {
    socket.write(`REPORT SPAMC/1.5\r\nContent-length: ${message.length}\r\n\r\n`);
    socket.end(message);
    const response = await readAtMost(socket, maxResponseBytes);
    if (!response) throw tooLong();
    return readVerdict(response);
  } finally {
    socket.destroy();
  }
}

function readVerdict(response: Buffer): SpamdVerdict {
  const end = response.indexOf('\r\n\r\n');
  const [status = '', ...headers] = response.toString('latin1', 0, Math.max(end, 0)).split('\r\n');
  const [, code, word = ''] = /^SPAMD\/\d\.\d (\d{1,3})(?: ([\w -]{1,60}))?$/.exec(status) ?? [];
  if (code === undefined) throw notUnderstood();
  if (code !== '0') throw new EngineFailure(`it reports the error ${code} ${word}`.trimEnd());
  const headerOf = (name: string) =>
    headers
      .find((line) => line.toLowerCase().startsWith(name))
      ?.slice(name.length)
      .trim() ?? '';
  const body = response.subarray(end + 4);
  // A connection that broke would leave a part of the report.
  if (headerOf('content-length:') !== String(body.length)) throw notUnderstood();
  const [, digits] =
    /^(?:True|False|Yes|No) ; (-?\d{1,9}(?:\.\d{1,9})?) \/ -?\d/.exec(headerOf('spam:')) ?? [];
  if (digits === undefined) throw notUnderstood();
  // spamd writes -0.0.
  return { score: Number(digits) + 0, report: body.toString('utf8').trim() };
}

/** The part that we read of the response to `/checkv2` (https://docs.rspamd.com/developers/protocol). */
const Checked = Type.Object({
  is_skipped: Type.Optional(Type.Boolean()),
  score: Type.Number({ minimum: -1e9, maximum: 1e9 }),
  action: Type.String({ pattern: '^[a-z ]{1,50}$' }),
  symbols: Type.Record(
    Type.String(),
    Type.Object({
      score: Type.Number({ minimum: -1e9, maximum: 1e9 }),
      description: Type.Optional(Type.String()),
    }),
  ),
});

/** Rules that are shown, and characters of each. */
const maxCauses = 100;
const maxCauseLength = 300;

/**
 * Disables the rules about the connection that delivered a message: this message has had none, which would add points.
 */
const settings = JSON.stringify({ groups_disabled: ['hfilter'] });

/**
 * Requests Rspamd's verdict on a message, by its HTTP protocol.
 * @param url of a worker, without a trailing slash
 * @throws EngineFailure for a response that holds no score; the error of the connection; what `signal` aborts with
 */
async function askRspamd(url: string, message: Buffer, signal: AbortSignal): Promise<RspamdVerdict> {
  const response = await post(`${url}/checkv2`, message, signal);
  try {
    if (response.statusCode !== 200) throw new EngineFailure(`it returns HTTP ${response.statusCode}`);
    const bytes = await readAtMost(response, maxResponseBytes);
    if (!bytes) throw tooLong();
    return verdictOf(readChecked(bytes));
  } finally {
    response.destroy();
  }
}

/** Follows no redirect and unpacks nothing; each request has a connection of its own. */
function post(url: string, body: Buffer, signal: AbortSignal): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  const headers = { 'content-type': 'application/octet-stream', 'content-length': body.length, settings };
  return new Promise((resolve, reject) => {
    request(url, { method: 'POST', agent: false, headers, signal }, resolve).once('error', reject).end(body);
  });
}

function readChecked(bytes: Buffer): Static<typeof Checked> {
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw notUnderstood();
  }
  if (!Value.Check(Checked, value)) throw notUnderstood();
  return value;
}

function verdictOf({ is_skipped, score, action, symbols }: Static<typeof Checked>): RspamdVerdict {
  // It skips messages by its settings, and then its 0 is no score; a test pattern that it knows is rejected.
  if (is_skipped && action === 'no action') throw new EngineFailure('its settings let it skip the message');
  const causes = Object.entries(symbols)
    .filter(([, { score }]) => score !== 0)
    .sort(([, a], [, b]) => Math.abs(b.score) - Math.abs(a.score))
    .slice(0, maxCauses)
    .map(([name, { score, description }]) => `${name} (${score})${description ? `: ${description}` : ''}`);
  return { score, action, causes: causes.map((cause) => cause.slice(0, maxCauseLength)) };
}

/** All messages of one call are scored in this time, or the rest has no score. */
const callLimitMs = 50_000;

/** The two engines, for the messages of one call. @param gone ends the requests, with its reason */
function spamEngines(app: App, gone: AbortSignal) {
  const { spamdAddress, rspamdUrl, spamLimitMs } = app.config;
  const late = AbortSignal.timeout(callLimitMs);
  /** An engine that failed once is not asked again: many segments would each wait for its limit. */
  const engineOf = <S, V>(
    name: string,
    setting: string,
    server: S | undefined,
    ask: (server: S, message: Buffer, signal: AbortSignal) => Promise<V>,
  ) => {
    let reason = server === undefined ? `an operator has not set ${setting}` : undefined;
    return async (message: Buffer): Promise<Opinion<V>> => {
      if (server === undefined || reason !== undefined) return { reason: reason! };
      const limit = AbortSignal.timeout(spamLimitMs);
      try {
        return { verdict: await ask(server, message, AbortSignal.any([gone, late, limit])) };
      } catch (error) {
        gone.throwIfAborted();
        if (limit.aborted) reason = `no complete response within ${spamLimitMs / 1000} seconds`;
        else if (late.aborted)
          reason = `the messages of all segments take longer than ${callLimitMs / 1000} seconds`;
        else reason = reasonOf(error);
        app.log.warn({ engine: name, reason }, 'a spam engine gave no score');
        return { reason };
      }
    };
  };
  return {
    spamd: engineOf('SpamAssassin', 'FACTEUR_SPAMD_ADDRESS', spamdAddress, askSpamd),
    rspamd: engineOf('Rspamd', 'FACTEUR_RSPAMD_URL', rspamdUrl, askRspamd),
  };
}

/** The reason without addresses, which error messages of connections contain. */
function reasonOf(error: unknown): string {
  if (error instanceof EngineFailure) return error.message;
  const { code = 'connection failed' } = error as { code?: string };
  return `it cannot be reached (${code})`;
}

/** Messages whose spam scores are requested. */
interface ScoreRequest {
  readonly campaign: Campaign;
  /** The only segment; absent: all of them. */
  readonly segment?: Segment | undefined;
  /** The subscriber that the messages are made for; null: the first one who may receive mail. */
  readonly idSubscriber: number | null;
  readonly at: Date;
  readonly signal: AbortSignal;
}

/**
 * Requests scores of a campaign's segments from the engines, and keeps them with the segments. The messages are those
 * that a sending would hand over, except that their links name neither a sending nor the subscriber: following them
 * has no effect.
 * @returns a score for each segment, in order of position; excluded segments have no message and no score
 * @throws 404 for an unknown subscriber, 422 when a message cannot be made
 */
export async function scoreSegments(app: App, db: SiteDb, request: ScoreRequest): Promise<SpamScore[]> {
  const { campaign, segment: only, at, signal } = request;
  checkSendable(campaign);
  const judged = await readinessOf(db, campaign, []);
  checkBuildable(judged.testProblems);
  const sending = judged.segments.filter(({ parameters }) => !parameters.isExcluded);
  const reach = await reachOf(app, db, judged, sending);
  const parts = { job: { id: 0, isTest: false }, judged, ...reach, at };
  const digests = messageDigests(judged, reach.links);
  const engines = spamEngines(app, signal);
  const scores: SpamScore[] = [];
  for (const segment of judged.segments.filter(({ id }) => !only || id === only.id)) {
    const { id, position } = segment;
    const digest = digests.get(id);
    if (digest === undefined) {
      const reason = excludedProblem(position);
      scores.push({ ...showScore({ reason }, { reason }), details: reason });
      continue;
    }
    // No sending has the id 0.
    const frozen = freezeSegment(app, db, parts, segment, 0);
    const message = await makeMessage(app, db, frozen, request.idSubscriber);
    const [spamd, rspamd] = await Promise.all([engines.spamd(message), engines.rspamd(message)]);
    const given = { spamScore: scoreOf(spamd), vrSpamScore: scoreOf(rspamd), message: digest };
    if (given.spamScore !== null || given.vrSpamScore !== null) await keepScores(db, id, given, at);
    scores.push(showScore(spamd, rspamd));
  }
  return scores;
}

const scoreOf = (opinion: Opinion<{ readonly score: number }>) =>
  'verdict' in opinion ? opinion.verdict.score : null;

async function makeMessage(
  app: App,
  db: SiteDb,
  frozen: FrozenJob,
  idSubscriber: number | null,
): Promise<Buffer> {
  const messages = await JobMessages.open(app, db.site.id, frozen);
  const recipient = await getReader(db, { idSubscriber, email: null }, messages.needs);
  const ready = await messages.make(0, { ...recipient, id: 0 }).catch((error: Error) => {
    throw refused(
      `idSubscriber: the message cannot be made for subscriber ${recipient.id} (${error.message}); choose another one`,
    );
  });
  return Buffer.concat(ready.pieces);
}
