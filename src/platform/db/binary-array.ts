/**
 * One-dimensional arrays in PostgreSQL's binary format (array_recv), as parameters: the driver sends a Buffer as
 * binary. Its text form quotes and escapes each element, which costs this process more than
 * the statement itself: 133 against 87 µs for the eleven columns of 50 hits, and PostgreSQL 40 µs more to read.
 */

// Element types as pg_type numbers them.
const oids = { boolean: 16, int8: 20, int2: 21, int4: 23, text: 25, timestamptz: 1184 } as const;
const headBytes = 20;
const lengthBytes = 4;
const nullLength = -1;
/** Milliseconds from 1970 to 2000, where PostgreSQL's times begin. */
const epochMs = 946_684_800_000;

export function booleanArray(values: readonly boolean[]): Buffer {
  return fixed(oids.boolean, 1, values, (to, at, value) => to.writeInt8(value ? 1 : 0, at));
}

export function int2Array(values: readonly number[]): Buffer {
  return fixed(oids.int2, 2, values, (to, at, value) => to.writeInt16BE(value, at));
}

export function int4Array(values: readonly number[]): Buffer {
  return fixed(oids.int4, 4, values, (to, at, value) => to.writeInt32BE(value, at));
}

export function int8Array(values: readonly (number | null)[]): Buffer {
  return fixed(oids.int8, 8, values, writeInt8);
}

export function timestamptzArray(values: readonly Date[]): Buffer {
  return fixed(oids.timestamptz, 8, values, (to, at, value) =>
    writeInt8(to, at, (value.getTime() - epochMs) * 1000),
  );
}

export function textArray(values: readonly (string | null)[]): Buffer {
  const bytes = values.map((value) => (value === null ? null : Buffer.from(value)));
  const size = bytes.reduce((sum, one) => sum + lengthBytes + (one?.length ?? 0), headBytes);
  const to = withHead(oids.text, size, values.length);
  let at = headBytes;
  for (const one of bytes) {
    at = to.writeInt32BE(one?.length ?? nullLength, at);
    if (one) at += one.copy(to, at);
  }
  return to;
}

function fixed<T>(
  oid: number,
  size: number,
  values: readonly (T | null)[],
  write: (to: Buffer, at: number, value: T) => void,
): Buffer {
  const nulls = values.reduce((count, value) => (value === null ? count + 1 : count), 0);
  const to = withHead(
    oid,
    headBytes + values.length * lengthBytes + (values.length - nulls) * size,
    values.length,
  );
  let at = headBytes;
  for (const value of values) {
    if (value === null) {
      at = to.writeInt32BE(nullLength, at);
    } else {
      at = to.writeInt32BE(size, at);
      write(to, at, value);
      at += size;
    }
  }
  return to;
}

function withHead(oid: number, bytes: number, count: number): Buffer {
  const to = Buffer.allocUnsafe(bytes);
  let at = to.writeInt32BE(1, 0);
  // «May hold nulls»: PostgreSQL reads it and looks at the lengths all the same.
  at = to.writeInt32BE(1, at);
  at = to.writeUInt32BE(oid, at);
  at = to.writeInt32BE(count, at);
  // The lower bound, as of any array that is written without one.
  to.writeInt32BE(1, at);
  return to;
}

/** Safe integers only, as all our identifiers are. */
function writeInt8(to: Buffer, at: number, value: number): void {
  const high = Math.floor(value / 2 ** 32);
  to.writeInt32BE(high, at);
  to.writeUInt32BE(value - high * 2 ** 32, at + 4);
}
