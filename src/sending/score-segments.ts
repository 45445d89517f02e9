import type { Campaign } from '../campaigns/campaign.ts';
import { messageDigests } from '../campaigns/message-digest.ts';
import { readinessOf } from '../campaigns/readiness.ts';
import type { Segment } from '../campaigns/segment.ts';
import { keepScores } from '../campaigns/segment-store.ts';
import { checkSendable } from '../campaigns/sendable.ts';
import type { Recipient, RecipientNeeds } from '../mail/recipient.ts';
import type { App } from '../platform/app.ts';
import type { SiteDb } from '../platform/db/site-db.ts';
import { notFound, refused } from '../platform/http/refusal.ts';
import { JobMessages } from './engine/job-messages.ts';
import { freezeJudged, judgeMessages, reachOf } from './freeze.ts';
import type { FrozenJob } from './frozen-job.ts';
import { findRecipient, firstRecipient } from './recipient-store.ts';
import { Engines } from './spam-engines.ts';
import { type Opinion, type SpamScore, showScore } from './spam-score.ts';

/** Messages whose spam scores are requested. */
export interface ScoreRequest {
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
  checkMessages(judged.testProblems);
  const sending = judged.segments.filter(({ parameters }) => !parameters.isExcluded);
  const reach = await reachOf(app, db, judged, sending);
  const parts = { job: { id: 0, isTest: false }, judged, ...reach, at };
  const digests = messageDigests(judged, reach.links);
  const engines = new Engines(app, signal);
  const scores: SpamScore[] = [];
  for (const segment of judged.segments.filter(({ id }) => !only || id === only.id)) {
    const { id, position } = segment;
    const digest = digests.get(id);
    if (digest === undefined) {
      const reason = excluded(position);
      scores.push({ ...showScore({ reason }, { reason }), details: reason });
      continue;
    }
    // No sending has the id 0.
    const frozen = freezeJudged(app, db, parts, { segments: [{ segment, idSent: 0 }] });
    checkMessages(judgeMessages(frozen).problems);
    const message = await makeMessage(app, db, frozen, request.idSubscriber);
    const [spamd, rspamd] = await Promise.all([engines.spamd(message), engines.rspamd(message)]);
    const given = { spamScore: scoreOf(spamd), vrSpamScore: scoreOf(rspamd), message: digest };
    if (given.spamScore !== null || given.vrSpamScore !== null) await keepScores(db, id, given, at);
    scores.push(showScore(spamd, rspamd));
  }
  return scores;
}

/** The reason why an excluded segment has no score. */
export const excluded = (position: number) => `Segment ${position} is excluded: it has no message`;

const scoreOf = (opinion: Opinion<{ readonly score: number }>) =>
  'verdict' in opinion ? opinion.verdict.score : null;

function checkMessages(problems: readonly string[]): void {
  if (problems.length > 0) throw refused(`The message cannot be made: ${problems.join('; ')}`);
}

async function recipientOf(
  db: SiteDb,
  idSubscriber: number | null,
  needs: RecipientNeeds,
): Promise<Recipient> {
  const found =
    idSubscriber === null ? await firstRecipient(db, needs) : await findRecipient(db, idSubscriber, needs);
  if (found) return found;
  if (idSubscriber !== null) throw notFound('Subscriber');
  throw refused('idSubscriber: the site has no subscriber who may receive mail; create one to simulate');
}

async function makeMessage(
  app: App,
  db: SiteDb,
  frozen: FrozenJob,
  idSubscriber: number | null,
): Promise<Buffer> {
  const messages = await JobMessages.open(app, db.site.id, frozen);
  const recipient = await recipientOf(db, idSubscriber, messages.needs);
  const ready = await messages.make(0, { ...recipient, id: 0 }).catch((error: Error) => {
    throw refused(
      `idSubscriber: the message cannot be made for subscriber ${recipient.id} (${error.message}); choose another one`,
    );
  });
  return Buffer.concat(ready.pieces);
}
