import { appendFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { inject } from 'vitest';
import type { Operation } from '../platform/http/operation.ts';
import { Refusal } from '../platform/http/refusal.ts';
import type { Exchange } from './examples.ts';
import { isTellingReply, memberNote, pathsOf } from './member-gaps.ts';
import { noteOf } from './reply-gaps.ts';

/** Lines that this thread has noted. */
const noted = new Set<string>();

/** In a file of the run, as several threads run tests. */
function note(lines: readonly string[]): void {
  const added = lines.filter((line) => !noted.has(line));
  if (added.length === 0) return;
  for (const line of added) noted.add(line);
  appendFileSync(inject('replyNotes'), `${added.join('\n')}\n`);
}

/** Which parameters and members of its body a request gives. */
function givenMembers(id: string, { query = {}, body }: { query?: object; body?: unknown }): string[] {
  const parameters = Object.entries(query).filter(([, value]) => value !== undefined);
  return [
    ...parameters.map(([name]) => memberNote(id, 'in', `?${name}`)),
    ...[...pathsOf(body, () => true)].map((path) => memberNote(id, 'in', path)),
  ];
}

/** Characters of an example, at most. */
const maxExample = 3_000;

/** Notes a request of a test and its response, for the examples of the reference (examples.ts). */
function noteExchange(exchange: Exchange): void {
  const line = JSON.stringify(exchange);
  if (line.length <= maxExample) appendFileSync(inject('exchangeNotes'), `${line}\n`);
}

/** The operation, each reply of its handler noted: success, and what it refuses with on purpose. */
export function notingReplies(operation: Operation): Operation {
  return {
    ...operation,
    async handle(input) {
      try {
        const body = inject('recordsExamples')
          ? structuredClone((input as { body?: unknown }).body)
          : undefined;
        const given = givenMembers(operation.id, input);
        note(given);
        const data = await operation.handle(input);
        // Its bytes are another's to read.
        if (operation.givesFile || data instanceof Readable) {
          note([noteOf('handler', operation.id, 200)]);
          return data;
        }
        const told = [...pathsOf(data, isTellingReply)].map((path) => memberNote(operation.id, 'out', path));
        note([noteOf('handler', operation.id, 200), ...told]);
        if (inject('recordsExamples')) noteExchange({ operation: operation.id, body, data });
        return data;
      } catch (error) {
        // Anything else is no reply of the operation's: what is answered then is the same for all.
        if (error instanceof Refusal) note([noteOf('handler', operation.id, error.status)]);
        throw error;
      }
    },
  };
}

/** Notes each response of a server's operations, even one that the handler did not give. */
export function noteAnswers(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply) => {
    const { operation } = request.routeOptions.config as { operation?: string };
    if (operation !== undefined) note([noteOf('answer', operation, reply.statusCode)]);
  });
}
