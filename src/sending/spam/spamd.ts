import { connect } from 'node:net';
import { addAbortSignal } from 'node:stream';
import type { ListenAddress } from '../../platform/http/admin-port.ts';
import { readAtMost } from '../../platform/read-at-most.ts';
import type { SpamdVerdict } from '../spam-score.ts';
import { EngineFailure, maxResponseBytes, notUnderstood, tooLong } from './engine-failure.ts';

/**
 * Requests the verdict of SpamAssassin's spamd on a message, by the request REPORT of its protocol (spamd/PROTOCOL in
 * SpamAssassin's sources). No client of it on npm is maintained.
 * @throws EngineFailure for a response that holds no score; the error of the connection; what `signal` aborts with
 */
export async function askSpamd(
  { host, port }: ListenAddress,
  message: Buffer,
  signal: AbortSignal,
): Promise<SpamdVerdict> {
  const socket = addAbortSignal(signal, connect({ host, port }));
  try {
    socket.write(`REPORT SPAMC/1.5\r\nContent-length: ${message.length}\r\n\r\n`);
    socket.end(message);
    const response = await readAtMost(socket, maxResponseBytes);
    if (!response) throw tooLong();
    return readVerdict(response);
  } finally {
    socket.destroy();
  }
}

function readVerdict(response: Buffer): SpamdVerdict {
  const end = response.indexOf('\r\n\r\n');
  const [status = '', ...headers] = response.toString('latin1', 0, Math.max(end, 0)).split('\r\n');
  const [, code, word = ''] = /^SPAMD\/\d\.\d (\d{1,3})(?: ([\w -]{1,60}))?$/.exec(status) ?? [];
  if (code === undefined) throw notUnderstood();
  if (code !== '0') throw new EngineFailure(`it reports the error ${code} ${word}`.trimEnd());
  const headerOf = (name: string) =>
    headers
      .find((line) => line.toLowerCase().startsWith(name))
      ?.slice(name.length)
      .trim() ?? '';
  const body = response.subarray(end + 4);
  // A connection that broke would leave a part of the report.
  if (headerOf('content-length:') !== String(body.length)) throw notUnderstood();
  const [, digits] =
    /^(?:True|False|Yes|No) ; (-?\d{1,9}(?:\.\d{1,9})?) \/ -?\d/.exec(headerOf('spam:')) ?? [];
  if (digits === undefined) throw notUnderstood();
  // spamd writes -0.0.
  return { score: Number(digits) + 0, report: body.toString('utf8').trim() };
}
