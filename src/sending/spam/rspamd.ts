import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Value } from 'typebox/value';
import { type Static, Type } from '../../platform/http/schema.ts';
import { readAtMost } from '../../platform/read-at-most.ts';
import type { RspamdVerdict } from '../spam-score.ts';
import { EngineFailure, maxResponseBytes, notUnderstood, tooLong } from './engine-failure.ts';

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
 * Leaves out the rules on the connection by which a message came: it has come by none yet, and they would add points
 * for that.
 */
const settings = JSON.stringify({ groups_disabled: ['hfilter'] });

/**
 * Requests Rspamd's verdict on a message, by its HTTP protocol.
 * @param url of a worker, without a trailing slash
 * @throws EngineFailure for a response that holds no score; the error of the connection; what `signal` aborts with
 */
export async function askRspamd(url: string, message: Buffer, signal: AbortSignal): Promise<RspamdVerdict> {
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
