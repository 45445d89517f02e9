import { Closed, Nullable, type Static, Type } from '../platform/http/schema.ts';

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
export interface SpamdVerdict {
  readonly score: number;
  /** The engine's report for people: the rules that matched, with their points. */
  readonly report: string;
}

/** Rspamd's verdict on a message. */
export interface RspamdVerdict {
  readonly score: number;
  readonly action: string;
  readonly causes: readonly string[];
}

/** An engine's verdict, or in words why it gave none. */
export type Opinion<V> = { readonly verdict: V } | { readonly reason: string };

/** The opinions as the API shows them. */
export function showScore(spamd: Opinion<SpamdVerdict>, rspamd: Opinion<RspamdVerdict>): SpamScore {
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
