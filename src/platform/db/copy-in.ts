import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import copyStreams from 'pg-copy-streams';

/** Loads rows in COPY’s text format (`copyLine`) into `target`: a table, with columns unless all are given. */
export async function copyIn(
  client: pg.ClientBase,
  target: string,
  text: AsyncIterable<string> | Iterable<string>,
): Promise<void> {
  await pipeline(
    Readable.from(withoutEmpty(text), { objectMode: false, highWaterMark: 256 * 1024 }),
    client.query(copyStreams.from(`copy ${target} from stdin`)),
  );
}

/** An empty piece would make the stream pause. */
async function* withoutEmpty(text: AsyncIterable<string> | Iterable<string>): AsyncGenerator<string> {
  for await (const piece of text) if (piece !== '') yield piece;
}
