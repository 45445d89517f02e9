/**
 * Reads what `npm audit --json` says of the packages that run in production, and fails when one of them has a known
 * vulnerability that is high or critical. Not every registry can tell, and there may be none: then it says so and passes,
 * for what is wrong is not the project.
 *
 *   npm audit --omit=dev --json | npx tsx scripts/audit.ts
 */
import { text } from 'node:stream/consumers';

/** What of npm's answer is read: a report, or why there is none. */
interface Answer {
  readonly metadata?: { readonly vulnerabilities: Readonly<Record<string, number>> };
  readonly vulnerabilities?: Readonly<Record<string, { readonly severity: string }>>;
  readonly message?: string;
  readonly error?: { readonly summary?: string };
}

const grave = new Set(['high', 'critical']);

const answer = JSON.parse((await text(process.stdin)) || '{}') as Answer;
if (!answer.metadata) {
  console.log(`not audited: ${answer.message ?? answer.error?.summary ?? 'npm gave no answer'}`);
} else {
  const found = Object.entries(answer.vulnerabilities ?? {}).filter(([, { severity }]) =>
    grave.has(severity),
  );
  for (const [name, { severity }] of found) console.log(`${name}: ${severity}`);
  console.log(found.length === 0 ? 'no grave vulnerability is known' : 'see npm audit --omit=dev');
  if (found.length > 0) process.exitCode = 1;
}
