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
  const response = await fetch(`${url}/checkv2`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/octet-stream', settings },
    body: message,
    signal,
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new EngineFailure(`it returns HTTP ${response.status}`);
  }
  const bytes = response.body ? await readAtMost(response.body, maxResponseBytes) : Buffer.alloc(0);
  if (!bytes) throw tooLong();
  return verdictOf(readChecked(bytes));
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
