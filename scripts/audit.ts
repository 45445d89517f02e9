/**
 * Reads the report of `npm audit --json` on the packages of production, and fails if one has a known vulnerability that
 * is high or critical. A registry may be unreachable or have no reports: then it prints that and passes, because the
 * project is not at fault.
 *
 *   npm audit --omit=dev --json | npx tsx scripts/audit.ts
 */
import { text } from 'node:stream/consumers';

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
