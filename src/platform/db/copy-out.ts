import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type pg from 'pg';
import copyStreams from 'pg-copy-streams';

/**
 * The bytes that a `copy … to stdout` gives, one data row a line. The connection serves nothing else until their end;
 * a reader that stops before it ends the connection, because PostgreSQL would wait for ever for the rest to be read,
 * and a rollback behind it.
 */
export function copyOut(client: pg.PoolClient, statement: string): Readable {
  const rows = client.query(copyStreams.to(statement, { highWaterMark: 256 * 1024 }));
  rows.once('close', () => {
    if (!rows.readableEnded) breakConnection(client);
  });
  return rows;
}

/** Ends a connection at once, without a word to the server; what it waits for fails. */
export function breakConnection(client: pg.ClientBase): void {
  // The types omit the client's own socket.
  (client as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
}
