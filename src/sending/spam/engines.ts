import type { App } from '../../platform/app.ts';
import type { Opinion, RspamdVerdict, SpamdVerdict } from '../spam-score.ts';
import { EngineFailure } from './engine-failure.ts';
import { askRspamd } from './rspamd.ts';
import { askSpamd } from './spamd.ts';

/** All messages of one call are scored in this time, or the rest has no score. */
const callLimitMs = 50_000;

type Ask<V> = (message: Buffer, signal: AbortSignal) => Promise<V>;

/** The two engines, for the messages of one call. */
export class Engines {
  readonly spamd: (message: Buffer) => Promise<Opinion<SpamdVerdict>>;
  readonly rspamd: (message: Buffer) => Promise<Opinion<RspamdVerdict>>;

  /** @param signal ends what is being asked, with its reason */
  constructor(app: App, signal: AbortSignal) {
    const { spamdAddress, rspamdUrl } = app.config;
    const late = AbortSignal.timeout(callLimitMs);
    const engine = <V>(name: string, setting: string, ask: Ask<V> | undefined) =>
      engineOf(app, { name, setting, ask, gone: signal, late });
    this.spamd = engine<SpamdVerdict>(
      'SpamAssassin',
      'FACTEUR_SPAMD_ADDRESS',
      spamdAddress && ((message, limit) => askSpamd(spamdAddress, message, limit)),
    );
    this.rspamd = engine<RspamdVerdict>(
      'Rspamd',
      'FACTEUR_RSPAMD_URL',
      rspamdUrl === undefined ? undefined : (message, limit) => askRspamd(rspamdUrl, message, limit),
    );
  }
}

interface EngineFacts<V> {
  readonly name: string;
  readonly setting: string;
  readonly ask: Ask<V> | undefined;
  readonly gone: AbortSignal;
  readonly late: AbortSignal;
}

/** An engine that failed once is not asked again: many segments would each wait for its limit. */
function engineOf<V>(
  app: App,
  { name, setting, ask, gone, late }: EngineFacts<V>,
): (message: Buffer) => Promise<Opinion<V>> {
  const { spamLimitMs } = app.config;
  let reason = ask ? undefined : `an operator has not set ${setting}`;
  return async (message) => {
    if (!ask || reason !== undefined) return { reason: reason! };
    const limit = AbortSignal.timeout(spamLimitMs);
    try {
      return { verdict: await ask(message, AbortSignal.any([gone, late, limit])) };
    } catch (error) {
      gone.throwIfAborted();
      reason = limit.aborted || late.aborted ? lateReason(limit.aborted, spamLimitMs) : reasonOf(error);
      app.log.warn({ engine: name, reason }, 'a spam engine gave no score');
      return { reason };
    }
  };
}

const lateReason = (isOfMessage: boolean, ms: number) =>
  isOfMessage
    ? `no complete response within ${ms / 1000} seconds`
    : `the messages of all segments take longer than ${callLimitMs / 1000} seconds`;

/** In words without addresses, which messages of connections hold. */
function reasonOf(error: unknown): string {
  if (error instanceof EngineFailure) return error.message;
  const { code = 'connection failed' } = error as { code?: string };
  return `it cannot be reached (${code})`;
}
